// Where translations fail: their scores by the length of the source and by rare words, the words
// that they lose, and what looks wrong with them.
//
//   const auto breakdown = attend::break_down(sources, translations, {references}, options);
//   std::cout << attend::format_breakdown({{"mine", breakdown}});
//
// Words are runs of letters, marks and digits with the apostrophes and hyphens between them, and
// single characters of scripts that have no spaces between words. Where there are several
// references, scores are those of all, and words are those of the first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "attend/metrics.h"
#include "attend/translation_metrics.h"
#include "attend/translator.h"

#pragma GCC visibility push(default)
namespace attend {

// How often each word, in small letters, occurs in the text that a translator was trained on.
class WordFrequencies {
 public:
  void add(std::string_view line);                 // a line in the target language
  std::int64_t of(const std::string& word) const;  // 0: never

 private:
  std::unordered_map<std::string, std::int64_t> counts_;
};

struct BreakdownOptions {
  EvaluationOptions metrics;  // without resampling
  // Flags judge copies and languages better where these are known, and negation is looked for if
  // has_negation_words() knows both.
  LanguagePair languages;
  std::shared_ptr<const WordFrequencies> training_words = nullptr;  // null: no split by rare words
};

// The scores of some of the lines.
struct LineGroup {
  std::string name;  // "11-20"
  std::int64_t lines = 0;
  std::vector<double> scores;  // by metric
};

// Words of the first reference (gold), of the translations (predicted), and those that both have in
// the same line, each as often as both have it (hits).
struct WordGroup {
  std::string name;  // "1-9"
  HitCounts words;
};

// Lines with the same trouble, numbered from 0.
struct LineList {
  std::string name;
  std::vector<std::int64_t> lines;
};

struct TranslationBreakdown {
  std::vector<std::string> metrics;       // "BLEU", "chrF2"
  std::vector<LineGroup> source_lengths;  // by words of the source
  // Split by how often the training text has the rarest word of the first reference, and each
  // word; empty without training words
  std::vector<LineGroup> rarest_words;
  std::vector<WordGroup> word_frequencies;
  // Words of the source that the first reference has as they are (gold), that the translation has
  // (predicted), and that both have (hits): "numbers" have a digit, "names" begin with a capital
  // letter, and "other words"
  std::vector<WordGroup> copied;
  // A line is negated if its source and its first reference both negate something, and not negated
  // if neither does. Translations of the former that do not have lost it; those of the latter that
  // do have added it. negation_known is false for languages without a list of words
  bool negation_known = false;
  std::int64_t negated = 0, not_negated = 0;  // lines
  LineList lost_negation{"lost", {}}, added_negation{"added", {}};
  // The flags of docs/trust.md that need no model, of translations whose first reference does not
  // have the same: empty, length, copy, language, repetition, numbers, verbatim
  std::vector<LineList> flags;
};

// Throws as evaluate() does, and DataError unless there are as many sources as hypotheses. Groups
// of lines that have none are left out.
TranslationBreakdown break_down(std::span<const std::string> sources,
                                std::span<const std::string> hypotheses,
                                const References& references, const BreakdownOptions& options = {});

// Whether there is a list of the words that negate something in a language: "de", "deu_Latn".
bool has_negation_words(std::string_view language);

// A breakdown and the name of its system.
using NamedBreakdown = std::pair<std::string, TranslationBreakdown>;

// Tables to print, of several systems on the same lines side by side, with `digits` decimals of the
// scores. Throws ConfigError without systems, or if they were not measured alike.
std::string format_breakdown(std::span<const NamedBreakdown> systems, int digits = 2);

// A line, numbered from 0, and its chrF against all references.
struct LineChrf {
  std::int64_t line = 0;
  double chrf = 0;
};

// The `count` lines with the lowest chrF, the lowest first; of equal ones the first. Throws as
// corpus_chrf() does.
std::vector<LineChrf> worst_lines(std::span<const std::string> hypotheses,
                                  const References& references, int count,
                                  const ChrfOptions& options = {});

}  // namespace attend
#pragma GCC visibility pop
