#include "attend/text/wordpiece/wordpiece_training.h"

#include <algorithm>
#include <map>
#include <set>

#include "attend/core/strings/utf8.h"
#include "attend/core/threads/interruption.h"
#include "attend/text/training/pair_training.h"
#include "attend/text/training/training_errors.h"
#include "attend/text/training/word_counts.h"
#include "attend/text/wordpiece/wordpiece.h"
#include "attend/text/wordpiece/wordpiece_words.h"

namespace attend::detail {
namespace {

WordPieceDescription description_of(const TokenizerOptions& options) {
  WordPieceDescription description{.vocabulary = control_pieces(),
                                   .normalization = normalization_of(options)};
  description.clean_text = description.cjk_blanks = description.split_punctuation =
      !options.pretokenized;
  return description;
}

WordCounts count_words(std::span<const std::string> sentences,
                       const WordPieceDescription& description) {
  WordCounts counts;
  for (const std::string& sentence : sentences) {
    look_for_interruption();
    for_each_word(normalized(sentence, description.normalization), description,
                  [&](std::string_view word) { ++counts[std::string(word)]; });
  }
  return counts;
}

// The most frequent characters that make up the share `coverage` of the text.
std::set<std::string> covered_characters(const WordCounts& counts, double coverage) {
  std::map<std::string, std::int64_t> frequencies;
  double all = 0;
  for (const auto& [word, count] : counts) {
    for (const std::string_view character : characters_of(word)) {
      frequencies[std::string(character)] += count;
      all += static_cast<double>(count);
    }
  }
  std::vector<std::pair<std::int64_t, std::string>> sorted;
  for (const auto& [character, count] : frequencies) sorted.emplace_back(-count, character);
  std::sort(sorted.begin(), sorted.end());
  std::set<std::string> covered;
  double sum = 0;
  for (const auto& [count, character] : sorted) {
    if (sum >= coverage * all) break;
    covered.insert(character);
    sum -= static_cast<double>(count);
  }
  return covered;
}

// Words as characters, with ## before all but the first. Skips words with other characters.
std::map<std::vector<std::string>, std::int64_t> spelled_words(
    const WordCounts& counts, const std::set<std::string>& covered) {
  std::map<std::vector<std::string>, std::int64_t> spelled;
  for (const auto& [word, count] : counts) {
    const std::vector<std::string_view> views = characters_of(word);
    std::vector<std::string> characters(views.begin(), views.end());
    const bool known = characters.size() <= kLongestWord &&
                       std::all_of(characters.begin(), characters.end(),
                                   [&](const std::string& c) { return covered.contains(c); });
    if (!known) continue;
    for (std::size_t i = 1; i < characters.size(); ++i) characters[i].insert(0, kContinuation);
    spelled[std::move(characters)] += count;
  }
  return spelled;
}

std::optional<std::string> join_wordpieces(const std::string& left, const std::string& right) {
  std::string joined = left + right.substr(kContinuation.size());
  // A piece that begins a word with ## would read as a continuation.
  const bool begins = left.size() <= kContinuation.size() || !left.starts_with(kContinuation);
  if (begins && joined.starts_with(kContinuation)) return std::nullopt;
  return joined;
}

}  // namespace

std::string train_wordpiece(std::span<const std::string> sentences,
                            const TokenizerOptions& options) {
  check_training_options(options, kTrainedControls);
  WordPieceDescription description = description_of(options);
  const WordCounts counts = count_words(sentences, description);
  if (counts.empty()) throw_no_text(sentences.size());
  const auto spelled =
      spelled_words(counts, covered_characters(counts, double{options.character_coverage}));
  std::map<std::string, std::int32_t> alphabet;
  for (const auto& [word, count] : spelled)
    for (const std::string& character : word) alphabet[character] = 0;
  std::vector<std::string>& pieces = description.vocabulary.pieces;
  for (auto& [character, id] : alphabet) {
    id = static_cast<std::int32_t>(pieces.size());
    pieces.push_back(character);
  }
  if (std::ssize(pieces) > options.vocab_size)
    throw_vocabulary_too_small(options, kTrainedControls, static_cast<int>(pieces.size()));
  std::vector<CountedWord> words;
  for (const auto& [word, count] : spelled) {
    CountedWord& counted = words.emplace_back();
    counted.count = count;
    for (const std::string& character : word) counted.symbols.push_back(alphabet[character]);
  }
  learn_merges(std::move(words), pieces, static_cast<std::size_t>(options.vocab_size),
               join_wordpieces);
  if (std::ssize(pieces) < options.vocab_size)
    throw_vocabulary_too_large(options, sentences.size(), static_cast<int>(pieces.size()));
  return tokenizer_bytes(description);
}

}  // namespace attend::detail
