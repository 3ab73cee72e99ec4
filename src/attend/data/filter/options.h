// The rules by which text is filtered before training, in the order in which they are applied.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "attend/core/options/options.h"

namespace attend {

// Named after the option that sets the rule; the first two always apply.
enum class FilterRule {
  not_text,  // not UTF-8, zero bytes, a line of more than 64 MiB, no tab in a line of pairs
  empty,     // a side without visible characters
  min_words,
  max_words,
  min_characters,
  max_characters,
  max_word_length,
  min_letters,
  max_digits,
  max_punctuation,
  max_length_ratio,
  max_character_ratio,
  drop_identical,
  drop_repeating,
  src_lang,
  tgt_lang,
  unique,
  unique_sources,
  unique_targets,
  max_tokens,
  min_score,
  max_unaligned,
  keep_best
};
inline std::span<const std::string_view> enum_names(FilterRule) {
  static constexpr std::array<std::string_view, 23> kNames{
      "not-text",       "empty",           "min-words",        "max-words",
      "min-characters", "max-characters",  "max-word-length",  "min-letters",
      "max-digits",     "max-punctuation", "max-length-ratio", "max-character-ratio",
      "drop-identical", "drop-repeating",  "src-lang",         "tgt-lang",
      "unique",         "unique-sources",  "unique-targets",   "max-tokens",
      "min-score",      "max-unaligned",   "keep-best"};
  return kNames;
}
inline std::string_view name_of(FilterRule rule) {
  return enum_names(rule)[static_cast<std::size_t>(rule)];
}

// Lines on either side of a pair. All bounds are inclusive.
struct LineFilterOptions {
  int min_words = 1;
  int max_words = 250;
  int min_characters = 1;
  int max_characters = 0;
  int max_word_length = 0;
  double min_letters = 0.5;
  double max_digits = 1;
  double max_punctuation = 1;
};

template <class Visitor>
void fields(LineFilterOptions& o, Visitor&& visit) {
  visit("min-words", o.min_words, between(1, 1e6), "fewest words of a line");
  visit("max-words", o.max_words, between(0, 1e6), "most words of a line; 0: any number");
  visit("min-characters", o.min_characters, between(1, 1e6), "fewest characters of a line");
  visit("max-characters", o.max_characters, between(0, 1e9),
        "most characters of a line; 0: any number");
  visit("max-word-length", o.max_word_length, between(0, 1e6),
        "most characters of a word; 0: any number");
  visit("min-letters", o.min_letters, between(0, 1),
        "smallest share of letters among the visible characters of a line");
  visit("max-digits", o.max_digits, between(0, 1),
        "largest share of digits among the visible characters of a line");
  visit("max-punctuation", o.max_punctuation, between(0, 1),
        "largest share of punctuation and symbols among the visible characters of a line");
}

// The sides of a pair together.
struct PairFilterOptions {
  double max_length_ratio = 3;
  double max_character_ratio = 0;
  bool drop_identical = true;
  bool drop_repeating = false;
};

template <class Visitor>
void fields(PairFilterOptions& o, Visitor&& visit) {
  visit("max-length-ratio", o.max_length_ratio, between(0, 1e6),
        "largest ratio of words between the longer and the shorter side of a pair; 0: any ratio");
  visit("max-character-ratio", o.max_character_ratio, between(0, 1e6),
        "largest ratio of characters between the longer and the shorter side of a pair; 0: any "
        "ratio");
  visit("drop-identical", o.drop_identical, "drop pairs whose source and target are equal");
  visit("drop-repeating", o.drop_repeating,
        "drop pairs one side of which repeats words that the other does not, as translators do "
        "that have lost the source");
}

// The first of several equal lines or pairs that pass the other rules stays.
struct DuplicateFilterOptions {
  bool unique = true;
  bool unique_sources = false;
  bool unique_targets = false;
  int unique_memory = 4096;
};

template <class Visitor>
void fields(DuplicateFilterOptions& o, Visitor&& visit) {
  visit("unique", o.unique, "drop a pair, or a line of --text, that has occurred before");
  visit("unique-sources", o.unique_sources, "drop a pair whose source has occurred before");
  visit("unique-targets", o.unique_targets, "drop a pair whose target has occurred before");
  visit("unique-memory", o.unique_memory, between(1, 1e7),
        "memory limit in MiB for each of --unique, --unique-sources and --unique-targets");
}

struct LanguageFilterOptions {
  std::string src_lang;  // empty: not checked
  std::string tgt_lang;
  double language_odds = 1000;
};

template <class Visitor>
void fields(LanguageFilterOptions& o, Visitor&& visit) {
  visit("src-lang", o.src_lang,
        "language of the sources, or of --text, such as en: drop lines in other languages");
  visit("tgt-lang", o.tgt_lang,
        "language of the targets, such as de: drop lines in other languages");
  visit("language-odds", o.language_odds, between(0, 1e6),
        "drop a line if another language is this many times as likely as that of --src-lang or "
        "--tgt-lang; 0: no check");
}

inline constexpr NumberRange kKeptShares = above(0, 1);

struct FilterOptions {
  LineFilterOptions lines;
  PairFilterOptions pairs;
  DuplicateFilterOptions duplicates;
  LanguageFilterOptions languages;
  double keep_best = 1;  // by the score of a PairScorer
};

}  // namespace attend
