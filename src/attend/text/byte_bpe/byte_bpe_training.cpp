#include "attend/text/byte_bpe/byte_bpe_training.h"

#include <algorithm>

#include "attend/core/options/option_error.h"
#include "attend/core/threads/interruption.h"
#include "attend/error.h"
#include "attend/text/byte_bpe/byte_bpe.h"
#include "attend/text/byte_bpe/byte_letters.h"
#include "attend/text/training/pair_training.h"
#include "attend/text/training/training_errors.h"
#include "attend/text/training/word_counts.h"

namespace attend::detail {
namespace {

constexpr int kBytePieceCount = 256;
// Longer parts are split for training.
constexpr std::size_t kLongestPart = 1024;
constexpr std::string_view kWordsBetweenSpaces = " ?[^ ]+| +";

WordCounts count_parts(std::span<const std::string> sentences,
                       const ByteBpeDescription& description) {
  const SplitPattern pattern(description.patterns.front());
  WordCounts counts;
  for (const std::string& sentence : sentences) {
    look_for_interruption();
    const std::string text = normalized(sentence, description.normalization);
    if (text.empty()) continue;
    const std::string prefixed = (text.starts_with(' ') ? "" : " ") + text;
    std::vector<std::string_view> parts{prefixed};
    pattern.split(parts);
    for (const std::string_view part : parts) ++counts[std::string(part)];
  }
  return counts;
}

std::vector<CountedWord> words_of_bytes(const WordCounts& counts) {
  std::vector<CountedWord> words;
  for (const auto& [part, count] : counts) {
    for (std::size_t at = 0; at < part.size(); at += kLongestPart) {
      CountedWord& word = words.emplace_back();
      word.count = count;
      for (const char byte : std::string_view(part).substr(at, kLongestPart))
        word.symbols.push_back(kTrainedControls + static_cast<unsigned char>(byte));
    }
  }
  return words;
}

bool is_all_spaces(const WordCounts& counts) {
  return std::all_of(counts.begin(), counts.end(), [](const auto& counted) {
    return counted.first.find_first_not_of(' ') == std::string::npos;
  });
}

}  // namespace

std::string train_byte_bpe(std::span<const std::string> sentences,
                           const TokenizerOptions& options) {
  const int reserved = kTrainedControls + kBytePieceCount;
  check_training_options(options, reserved);
  if (options.character_coverage != 1.0f)
    throw OptionError<ConfigError>(
        "{}: expected 1 with byte-bpe, whose bytes write every character",
        as_key("character-coverage"));
  ByteBpeDescription description{.vocabulary = control_pieces(),
                                 .normalization = normalization_of(options)};
  description.patterns = {std::string(options.pretokenized ? kWordsBetweenSpaces : kGpt2Pattern)};
  description.prefix_space = true;
  std::vector<std::string>& pieces = description.vocabulary.pieces;
  for (int byte = 0; byte < kBytePieceCount; ++byte)
    pieces.push_back(letter_of(static_cast<unsigned char>(byte)));
  const WordCounts counts = count_parts(sentences, description);
  if (is_all_spaces(counts)) throw_no_text(sentences.size());
  description.merges =
      learn_merges(words_of_bytes(counts), pieces, static_cast<std::size_t>(options.vocab_size),
                   [](const std::string& left, const std::string& right) {
                     return std::optional(left + right);
                   });
  if (std::ssize(pieces) < options.vocab_size)
    throw_vocabulary_too_large(options, sentences.size(), static_cast<int>(pieces.size()));
  return tokenizer_bytes(description);
}

}  // namespace attend::detail
