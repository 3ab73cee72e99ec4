#include "attend/text/sentencepiece/sentencepiece_training.h"

#include <fmt/format.h>
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "attend/core/child_process.h"
#include "attend/core/options/option_error.h"
#include "attend/core/options/option_fields.h"
#include "attend/core/strings/quote.h"
#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"
#include "attend/core/threads/interruption.h"
#include "attend/error.h"
#include "attend/text/sentencepiece/long_words.h"
#include "attend/text/sentencepiece/meta_symbol.h"
#include "attend/text/sentencepiece/sentencepiece_logging.h"
#include "attend/text/sentencepiece/sentencepiece_model.h"
#include "attend/text/tokenizer_engine.h"
#include "attend/text/training/training_errors.h"

namespace attend::detail {
namespace {

using Arguments = std::unordered_map<std::string, std::string>;

constexpr int kBytePieces = 256;
// The trainer splits its sums by thread, and the result depends on the split: a constant, not the
// number of cores.
constexpr int kTrainingThreads = 4;

// Feeds sentences to the trainer. It would silently drop sentences with a tab or U+2585, its
// separators, so these become spaces. If `characters` says how characters are mapped, sentences
// with words that are too long for it are fed in parts.
class Sentences final : public sentencepiece::SentenceIterator {
 public:
  explicit Sentences(std::span<const std::string> sentences,
                     const CharacterMap* characters = nullptr)
      : sentences_(sentences), characters_(characters) {
    prepare();
  }

  bool done() const override { return at_ == sentences_.size(); }
  void Next() override {
    if (!parts_.empty()) {
      value_ = std::move(parts_.back());
      parts_.pop_back();
      return;
    }
    ++at_;
    prepare();
  }
  const std::string& value() const override { return value_; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  void prepare() {
    if (done()) return;
    constexpr std::string_view kReserved = "\xE2\x96\x85";
    value_ = sentences_[at_];
    std::replace(value_.begin(), value_.end(), '\t', ' ');
    for (std::size_t i = value_.find(kReserved); i != std::string::npos;
         i = value_.find(kReserved, i))
      value_.replace(i, kReserved.size(), 1, ' ');
    if (characters_ == nullptr || !may_have_long_words(value_)) return;
    const auto parts = parts_for_training(value_, *characters_);
    parts_.assign(parts.rbegin(), parts.rend() - 1);
    value_ = std::string(parts.front());
  }

  std::span<const std::string> sentences_;
  const CharacterMap* characters_;
  std::size_t at_ = 0;
  std::string value_;
  std::vector<std::string> parts_;  // what follows of the sentence, in reverse
};

std::string_view name_of(TokenizerType type) {
  if (type == TokenizerType::chars) return "char";
  return enum_names(type)[static_cast<std::size_t>(type)];
}

Arguments arguments_of(const TokenizerOptions& options) {
  const Normalization normalization =
      options.pretokenized ? Normalization::identity : options.normalization;
  Arguments arguments{
      {"model_type", std::string(name_of(options.type))},
      {"vocab_size", std::to_string(options.vocab_size)},
      {"character_coverage", fmt::format("{}", options.character_coverage)},
      {"byte_fallback", options.byte_fallback ? "true" : "false"},
      {"normalization_rule_name",
       std::string(enum_names(normalization)[static_cast<std::size_t>(normalization)])},
      {"pad_id", "0"},
      {"unk_id", "1"},
      {"bos_id", "2"},
      {"eos_id", "3"},
      // An unknown word keeps its space; an unknown character stays inside its word.
      {"unk_surface", options.type == TokenizerType::word ? " \xE2\x81\x87" : "\xE2\x81\x87"},
      {"max_sentence_length", std::to_string(1 << 30)},  // longer sentences are dropped
      {"num_threads", std::to_string(kTrainingThreads)},
  };
  if (!options.user_symbols.empty())
    arguments["user_defined_symbols"] = fmt::format(
        "{}{}", kMetaSymbol, fmt::join(options.user_symbols, fmt::format(",{}", kMetaSymbol)));
  if (options.pretokenized) {
    // The text is already split into words; inside them any two characters may merge.
    arguments.insert({{"split_by_unicode_script", "false"}, {"split_by_number", "false"}});
  }
  return arguments;
}

// The number after `before` in a message, or -1.
int number_after(std::string_view message, std::string_view before) {
  const std::size_t at = message.find(before);
  return at == std::string_view::npos
             ? -1
             : std::atoi(std::string(message.substr(at + before.size())).c_str());
}

[[noreturn]] void explain(std::string_view message, const TokenizerOptions& options, int reserved,
                          std::size_t sentences) {
  const int most = number_after(message, "Please set it to a value <= ");
  const int least = number_after(message, fmt::format("{} vs ", options.vocab_size));
  if (most >= 0 && most <= reserved) throw_no_text(sentences);
  if (most >= 0) throw_vocabulary_too_large(options, sentences, most);
  if (least >= 0) throw_vocabulary_too_small(options, reserved, least);
  throw DataError(
      fmt::format("tokenizer: SentencePiece could not learn a vocabulary: {}", message));
}

// A model with the normalization of `options`.
std::string train_on_nothing(TokenizerOptions options) {
  options.type = TokenizerType::chars;
  const std::vector<std::string> one{"a"};
  Sentences iterator(one);
  std::string bytes;
  sentencepiece::SentencePieceTrainer::Train(arguments_of(options), &iterator, &bytes)
      .IgnoreError();
  return bytes;
}

bool needs_short_words(TokenizerType type) {
  return type == TokenizerType::bpe || type == TokenizerType::unigram;
}

// The bytes of a model, or why there is none.
struct TrainerOutcome {
  bool ok = false;
  std::string text;
};

TrainerOutcome run_here(std::span<const std::string> sentences, const TokenizerOptions& options) {
  std::string normalization, bytes;
  std::optional<SentencePieceModel> normalizer;  // refers to the bytes of `normalization`
  if (needs_short_words(options.type) &&
      std::any_of(sentences.begin(), sentences.end(), may_have_long_words)) {
    normalization = train_on_nothing(options);
    normalizer = read_sentencepiece_model(normalization);
  }
  Sentences iterator(sentences, normalizer ? &normalizer->characters : nullptr);
  const auto status =
      sentencepiece::SentencePieceTrainer::Train(arguments_of(options), &iterator, &bytes);
  return {status.ok(), status.ok() ? bytes : std::string(status.message())};
}

// The library cannot be interrupted, but a process can.
TrainerOutcome run_there(std::span<const std::string> sentences, const TokenizerOptions& options) {
  const std::string answer = in_child_process([&]() -> std::string {
    try {
      const TrainerOutcome outcome = run_here(sentences, options);
      return (outcome.ok ? '+' : '-') + outcome.text;
    } catch (const std::exception& error) {
      return std::string("-") + error.what();
    }
  });
  return {answer.starts_with('+'), answer.substr(std::min<std::size_t>(1, answer.size()))};
}

std::string run_trainer(std::span<const std::string> sentences, const TokenizerOptions& options,
                        int reserved) {
  TrainerOutcome outcome = interruption_scope() != nullptr ? run_there(sentences, options)
                                                           : run_here(sentences, options);
  if (!outcome.ok) explain(outcome.text, options, reserved, sentences.size());
  return std::move(outcome.text);
}

// A symbol is a word and begins like one, with the meta symbol, so that it is a token alone. The
// trainer reads a list with commas.
void check_user_symbols(const std::vector<std::string>& symbols) {
  for (const std::string& symbol : symbols) {
    const bool is_word = unicode::split(symbol) == std::vector<std::string_view>{symbol};
    if (!is_word || symbol.find_first_of(",\"") != std::string::npos ||
        symbol.find(kMetaSymbol) != std::string::npos ||
        std::count(symbols.begin(), symbols.end(), symbol) > 1)
      throw OptionError<ConfigError>(
          "{}: expected different words without white space, commas and double quotes, such as "
          "<bt>, got {}",
          as_key("user-symbols"), quote(symbol));
  }
}

// Normalization may change a symbol; then no text has it.
void require_whole_symbols(std::string_view model, const std::vector<std::string>& symbols) {
  sentencepiece::SentencePieceProcessor processor;
  if (symbols.empty() || !processor.LoadFromSerializedProto(model).ok()) return;
  for (const std::string& symbol : symbols) {
    if (processor.EncodeAsPieces(symbol) !=
        std::vector<std::string>{std::string(kMetaSymbol) + symbol})
      throw OptionError<ConfigError>(
          "{}: expected words that the normalization leaves as they are, got {}",
          as_key("user-symbols"), quote(symbol));
  }
}

// Whether a model has more than the reserved tokens.
bool has_characters(std::string_view model, int reserved) {
  sentencepiece::SentencePieceProcessor processor;
  return processor.LoadFromSerializedProto(model).ok() && processor.GetPieceSize() > reserved;
}

// The normalized text, as a vocabulary of single characters.
std::string train_on_characters(std::span<const std::string> sentences, TokenizerOptions options,
                                int reserved) {
  options.type = TokenizerType::chars;
  options.vocab_size = reserved + 1;
  return run_trainer(sentences, options, reserved);
}

void check_length(std::span<const std::string> sentences) {
  std::size_t bytes = 0;
  for (const std::string& sentence : sentences) bytes += sentence.size() + 1;
  if (bytes >= std::size_t{1} << 31) {
    throw ConfigError(
        fmt::format("tokenizer: unigram learns from at most 2 GiB of text, found {} bytes; use "
                    "bpe, or a part of the text",
                    bytes));
  }
}

}  // namespace

std::string train_sentencepiece(std::span<const std::string> sentences,
                                const TokenizerOptions& options) {
  silence_sentencepiece();
  check_user_symbols(options.user_symbols);
  const int reserved = kTrainedControls + (options.byte_fallback ? kBytePieces : 0) +
                       static_cast<int>(options.user_symbols.size());
  check_training_options(options, reserved);
  for (const std::string& sentence : sentences) refuse_long_text(sentence.size());
  if (std::all_of(sentences.begin(), sentences.end(), is_blank)) throw_no_text(sentences.size());
  // The unigram trainer aborts if normalization leaves no text, or if the text overflows its
  // indices.
  if (options.type == TokenizerType::unigram) {
    check_length(sentences);
    if (!has_characters(train_on_characters(sentences, options, reserved), reserved))
      throw_no_text(sentences.size());
  }
  std::string model = run_trainer(sentences, options, reserved);
  if (!has_characters(model, reserved)) throw_no_text(sentences.size());
  require_whole_symbols(model, options.user_symbols);
  return model;
}

}  // namespace attend::detail
