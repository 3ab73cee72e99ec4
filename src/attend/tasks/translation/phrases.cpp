#include "attend/tasks/translation/phrases.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "attend/core/options/option_error.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/tasks/model_file/model_reading.h"

namespace attend {

namespace {

using TokenIds = std::vector<std::int32_t>;

// A step of the search looks for as many more tokens as there are forbidden phrases.
constexpr std::size_t kMostPhrases = 256;
constexpr std::size_t kMostTokensOfPhrase = 100;

// Byte-level vocabularies know a space before a word as this letter.
constexpr std::string_view kByteSpace = "Ġ";

// As it is written within a text.
TokenIds ids_within_text(const std::string& phrase, const Tokenizer& tokenizer) {
  const TokenIds behind_space = tokenizer.encode(" " + phrase);
  const bool begins_with_space =
      !behind_space.empty() && tokenizer.piece(behind_space.front()).starts_with(kByteSpace);
  return begins_with_space ? behind_space : tokenizer.encode(phrase);
}

TokenIds ids_of_phrase(const std::string& phrase, const char* option, const Tokenizer& tokenizer) {
  TokenIds ids = ids_within_text(phrase, tokenizer);
  if (ids.empty())
    throw OptionError<ConfigError>("{}: expected phrases, got an empty one", as_key(option));
  if (ids.size() > kMostTokensOfPhrase)
    throw OptionError<ConfigError>("{}: expected phrases of at most {} tokens, got {}: {}",
                                   as_key(option), kMostTokensOfPhrase, ids.size(), quote(phrase));
  if (std::find(ids.begin(), ids.end(), tokenizer.unk_id()) != ids.end())
    throw OptionError<ConfigError>("{}: the model has no tokens for all characters of {}",
                                   as_key(option), quote(phrase));
  return ids;
}

bool is_special(std::int32_t id, const Tokenizer& tokenizer) {
  const SpecialTokens& special = tokenizer.special_tokens();
  return id == special.bos || id == special.eos || id == special.pad || id == special.unk;
}

std::size_t longest_piece(const Tokenizer& tokenizer) {
  std::size_t longest = 0;
  for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id)
    longest = std::max(longest, tokenizer.piece(id).size());
  return longest;
}

// Every way to spell the phrase in tokens of the vocabulary, from which there is the usual one.
// `longest`: bytes of the longest token.
PhrasePaths all_paths(const TokenIds& usual, std::size_t longest, const Tokenizer& tokenizer) {
  std::string text;
  std::vector<std::size_t> ends;  // of the usual tokens
  for (const std::int32_t id : usual) {
    text += tokenizer.piece(id);
    ends.push_back(text.size());
  }
  PhrasePaths paths;
  paths.end = static_cast<int>(text.size());
  const auto add = [&](std::size_t from, std::int32_t id, std::size_t to) {
    paths.arcs.push_back({static_cast<int>(from), id, static_cast<int>(to)});
  };
  for (std::size_t i = 0; i < usual.size(); ++i) add(i > 0 ? ends[i - 1] : 0, usual[i], ends[i]);
  for (std::size_t from = 0; from < text.size(); ++from) {
    for (std::size_t to = from + 1; to <= std::min(text.size(), from + longest); ++to) {
      const std::string_view piece = std::string_view(text).substr(from, to - from);
      const std::int32_t id = tokenizer.id(piece);
      if (id >= 0 && !is_special(id, tokenizer) && tokenizer.piece(id) == piece) add(from, id, to);
    }
  }
  return paths;
}

// Returns the sequences of tokens that are forbidden, and the token for unknown words.
std::vector<PhrasePaths> paths_of_ids(const TranslationOptions& options,
                                      const Tokenizer& tokenizer) {
  std::vector<PhrasePaths> paths;
  if (options.forbidden_ids.size() > kMostPhrases)
    throw ConfigError(
        fmt::format("forbidden_ids: expected at most {} sequences of tokens", kMostPhrases));
  for (const TokenIds& ids : options.forbidden_ids) {
    if (ids.empty() || !is_in_vocabulary(ids, tokenizer))
      throw ConfigError("forbidden_ids: expected ids of target tokens in each sequence");
    paths.push_back(one_path(ids));
  }
  const std::int32_t unknown = tokenizer.unk_id();
  if (options.forbid_unknown && unknown >= 0) paths.push_back(one_path(std::span(&unknown, 1)));
  return paths;
}

// Whether the model can write these tokens, as far as that is known.
bool is_writable(const TokenIds& ids, const PhraseRules& forbidden, const TranslationModel& model) {
  PhraseRules::Progress progress = forbidden.begin();
  for (const std::int32_t id : ids) {
    if (id == model.tgt_tokenizer.unk_id() ||
        std::find(model.suppressed.begin(), model.suppressed.end(), id) != model.suppressed.end())
      return false;
    forbidden.read(progress, id);
  }
  return !ids.empty() && ids.size() <= kMostTokensOfPhrase && !progress.violated;
}

void check_writable(const std::string& phrase, const TokenIds& ids, const PhraseRules& forbidden,
                    const TranslationModel& model) {
  for (const std::int32_t id : ids)
    if (std::find(model.suppressed.begin(), model.suppressed.end(), id) != model.suppressed.end())
      throw OptionError<ConfigError>("{}: the model never writes {}, which is part of {}",
                                     as_key("must-contain"), quote(model.tgt_tokenizer.piece(id)),
                                     quote(phrase));
  PhraseRules::Progress progress = forbidden.begin();
  for (const std::int32_t id : ids) forbidden.read(progress, id);
  if (progress.violated)
    throw OptionError<ConfigError>("{}: {} contains a phrase of {}", as_key("must-contain"),
                                   quote(phrase), as_key("must-not-contain"));
}

}  // namespace

std::shared_ptr<const PhraseRules> phrase_rules(const TranslationOptions& options,
                                                const TranslationModel& model,
                                                std::span<const SentencePhrase> of_sentence) {
  const std::vector<std::string>&required = options.must_contain,
        &forbidden = options.must_not_contain;
  const Tokenizer& tokenizer = model.tgt_tokenizer;
  std::vector<PhrasePaths> paths = paths_of_ids(options, tokenizer);
  if (required.empty() && forbidden.empty() && paths.empty() && of_sentence.empty()) return nullptr;
  if (options.sampling && !required.empty())
    throw OptionError<ConfigError>(
        "{}: expected beam search, which weighs outputs with and without the phrases; got sampling",
        as_key("must-contain"));
  if (options.shortlist && !required.empty())
    throw OptionError<ConfigError>("{}: expected all tokens to choose from; {} leaves only some",
                                   as_key("must-contain"), as_flag("shortlist"));
  if (std::max(required.size(), forbidden.size()) > kMostPhrases)
    throw OptionError<ConfigError>("{}, {}: expected at most {} phrases", as_key("must-contain"),
                                   as_key("must-not-contain"), kMostPhrases);
  const std::size_t longest = forbidden.empty() ? 0 : longest_piece(tokenizer);
  for (const std::string& phrase : forbidden)
    paths.push_back(
        all_paths(ids_of_phrase(phrase, "must-not-contain", tokenizer), longest, tokenizer));
  const PhraseRules of_forbidden(std::vector<RequiredPhrase>{}, paths);
  std::vector<RequiredPhrase> phrases;
  for (const std::string& phrase : required) {
    phrases.push_back({{ids_of_phrase(phrase, "must-contain", tokenizer)}});
    check_writable(phrase, phrases.back().alternatives.front(), of_forbidden, model);
  }
  for (const SentencePhrase& phrase : of_sentence) {
    RequiredPhrase one{{}, phrase.once};
    for (const std::string& text : phrase.alternatives)
      if (TokenIds ids = ids_within_text(text, tokenizer); is_writable(ids, of_forbidden, model))
        one.alternatives.push_back(std::move(ids));
    if (!one.alternatives.empty()) phrases.push_back(std::move(one));
  }
  return std::make_shared<const PhraseRules>(phrases, std::move(paths));
}

}  // namespace attend
