#include "attend/data/filter/rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "attend/error.h"
#include "core/files.h"

namespace attend {
namespace {

using Broken = std::optional<FilterRule>;

constexpr Broken kKept = std::nullopt;

// Rules that drop nothing.
FilterOptions no_rules() {
  FilterOptions options;
  options.lines.max_words = 0;
  options.lines.min_letters = 0;
  options.pairs.max_length_ratio = 0;
  options.pairs.drop_identical = false;
  return options;
}

TextPair pair_of(const std::string& src, const std::string& tgt) {
  TextPair pair;
  pair.src = src;
  pair.tgt = tgt;
  return pair;
}

Broken broken(const FilterOptions& options, const std::string& src, const std::string& tgt) {
  return PairRules(options, /*in_pairs=*/true).broken_by(pair_of(src, tgt));
}

TEST(PairRules, KeepOrdinaryPairsByDefault) {
  EXPECT_EQ(broken({}, "The old dog sleeps.", "Der alte Hund schläft."), kKept);
  EXPECT_EQ(broken({}, "狗在花园里睡觉。", "The dog sleeps in the garden."), kKept);
  EXPECT_EQ(broken({}, "Собака спит.", "Ο σκύλος κοιμάται."), kKept);
  EXPECT_EQ(broken({}, "कुत्ता सो रहा है", "the dog is sleeping"), kKept);
}

TEST(PairRules, DropAnEmptySide) {
  for (const char* empty : {"", " ", "\t", "\xC2\xA0", "\xE2\x80\x8B"}) {
    EXPECT_EQ(broken(no_rules(), empty, "text"), FilterRule::empty);
    EXPECT_EQ(broken(no_rules(), "text", empty), FilterRule::empty);
  }
}

TEST(PairRules, DropWhatIsNoText) {
  TextPair pair = pair_of("text", "Text");
  pair.fault = "in.en:1: byte 3 is not valid UTF-8";
  EXPECT_EQ(PairRules(no_rules(), true).broken_by(pair), FilterRule::not_text);
}

// Every bound keeps what is exactly at it, and holds for both sides.
struct BoundCase {
  FilterRule rule;
  void (*set)(FilterOptions& options);
  std::string at_bound, beyond;
};

class Bounds : public testing::TestWithParam<BoundCase> {};

TEST_P(Bounds, AreInclusiveOnBothSides) {
  const BoundCase& one = GetParam();
  FilterOptions options = no_rules();
  EXPECT_EQ(broken(options, one.beyond, one.beyond), kKept) << "without the rule";
  one.set(options);
  EXPECT_EQ(broken(options, one.at_bound, one.at_bound), kKept);
  EXPECT_EQ(broken(options, one.beyond, one.at_bound), one.rule);
  EXPECT_EQ(broken(options, one.at_bound, one.beyond), one.rule);
}

INSTANTIATE_TEST_SUITE_P(
    Of, Bounds,
    testing::Values(
        BoundCase{FilterRule::min_words, [](FilterOptions& o) { o.lines.min_words = 2; }, "a b",
                  "ab"},
        BoundCase{FilterRule::max_words, [](FilterOptions& o) { o.lines.max_words = 3; }, "a b c",
                  "a b c d"},
        BoundCase{FilterRule::min_characters, [](FilterOptions& o) { o.lines.min_characters = 3; },
                  "äöü", "äö"},
        BoundCase{FilterRule::max_characters, [](FilterOptions& o) { o.lines.max_characters = 3; },
                  " äöü ", "ä öü"},
        BoundCase{FilterRule::max_word_length,
                  [](FilterOptions& o) { o.lines.max_word_length = 4; }, "über vier", "fünfe"},
        BoundCase{FilterRule::min_letters, [](FilterOptions& o) { o.lines.min_letters = 0.5; },
                  "ab12", "ab123"},
        BoundCase{FilterRule::max_digits, [](FilterOptions& o) { o.lines.max_digits = 0.3; },
                  "abc 123 def!", "abc 1234 def"},
        BoundCase{FilterRule::max_punctuation,
                  [](FilterOptions& o) { o.lines.max_punctuation = 0.5; }, "ab!?", "ab!?."}),
    [](const auto& test) {
      std::string name(name_of(test.param.rule));
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST(PairRules, BoundTheRatioOfWords) {
  FilterOptions options = no_rules();
  options.pairs.max_length_ratio = 1.5;
  EXPECT_EQ(broken(options, "a b", "a b c"), kKept);
  EXPECT_EQ(broken(options, "a b c", "a b"), kKept);
  EXPECT_EQ(broken(options, "a b", "a b c d"), FilterRule::max_length_ratio);
  EXPECT_EQ(broken(options, "a b c d", "a b"), FilterRule::max_length_ratio);
}

TEST(PairRules, BoundTheRatioOfCharacters) {
  FilterOptions options = no_rules();
  options.pairs.max_character_ratio = 2;
  EXPECT_EQ(broken(options, "ää", "abcd"), kKept);
  EXPECT_EQ(broken(options, "ää", "abcde"), FilterRule::max_character_ratio);
  EXPECT_EQ(broken(options, "abcde", "ää"), FilterRule::max_character_ratio);
}

TEST(PairRules, RefuseARatioThatNoPairHas) {
  FilterOptions options;
  options.pairs.max_character_ratio = 0.5;
  const std::string message = message_of<ConfigError>([&] { PairRules(options, true); });
  EXPECT_TRUE(contains(message, "max_character_ratio: expected 0, or 1 or more")) << message;
  options.pairs.max_character_ratio = 1;
  EXPECT_NO_THROW(PairRules(options, true));
  options.pairs.max_length_ratio = 0.99;
  EXPECT_THROW(PairRules(options, true), ConfigError);
}

TEST(PairRules, RefuseAnOptionOutOfRange) {
  FilterOptions options;
  options.lines.min_letters = 2;
  EXPECT_THROW(PairRules(options, true), ConfigError);
  options = {};
  options.pairs.max_length_ratio = -1;
  EXPECT_THROW(PairRules(options, true), ConfigError);
  options = {};
  options.languages.language_odds = -1;
  EXPECT_THROW(PairRules(options, true), ConfigError);
}

TEST(PairRules, DropIdenticalSides) {
  FilterOptions options = no_rules();
  EXPECT_EQ(broken(options, "same", "same"), kKept);
  options.pairs.drop_identical = true;
  EXPECT_EQ(broken(options, "the same", "the same"), FilterRule::drop_identical);
  EXPECT_EQ(broken(options, " the same", "the same\xC2\xA0 "), FilterRule::drop_identical);
  EXPECT_EQ(broken(options, "the same", "the  same"), kKept);
  EXPECT_EQ(broken(options, "the same", "The same"), kKept);
}

TEST(PairRules, DropASideThatRepeatsWhatTheOtherDoesNot) {
  FilterOptions options = no_rules();
  const std::string once = "der Hund schläft", again = "the dog the dog the dog sleeps";
  EXPECT_EQ(broken(options, once, again), kKept);
  options.pairs.drop_repeating = true;
  EXPECT_EQ(broken(options, once, again), FilterRule::drop_repeating);
  EXPECT_EQ(broken(options, again, once), FilterRule::drop_repeating);
  EXPECT_EQ(broken(options, "nein, nein, nein", "no, no, no"), kKept);
  EXPECT_EQ(broken(options, once, "the dog sleeps"), kKept);
}

TEST(PairRules, CheckTheLanguageOfEachSide) {
  FilterOptions options = no_rules();
  options.languages.src_lang = "en";
  options.languages.tgt_lang = "de";
  const std::string en = "the dog is in the garden", de = "der Hund ist in dem Garten";
  EXPECT_EQ(broken(options, en, de), kKept);
  EXPECT_EQ(broken(options, de, de), FilterRule::src_lang);
  EXPECT_EQ(broken(options, en, en), FilterRule::tgt_lang);
  options.languages.language_odds = 0;
  EXPECT_EQ(broken(options, de, en), kKept);
}

// Odds so small that any other language fits well enough to drop a line.
TEST(PairRules, CheckBothSidesWithTheOddsThatAreAskedFor) {
  const std::string en = "the dog is in the garden", de = "der Hund ist nicht in dem Garten";
  FilterOptions options = no_rules();
  options.languages.tgt_lang = "de";
  EXPECT_EQ(broken(options, en, de), kKept);
  options.languages.language_odds = 1e-9;
  EXPECT_EQ(broken(options, en, de), FilterRule::tgt_lang);
  options.languages.tgt_lang.clear();
  options.languages.src_lang = "en";
  EXPECT_EQ(broken(options, en, de), FilterRule::src_lang);
}

TEST(PairRules, AllowAnyLanguageNameThatIsNotChecked) {
  FilterOptions options;
  options.languages.src_lang = "tlh";
  EXPECT_THROW(PairRules(options, true), ConfigError);
  options.languages.language_odds = 0;
  EXPECT_NO_THROW(PairRules(options, true));
}

TEST(PairRules, NameTheFirstRuleOnly) {
  FilterOptions options;  // also 1 word against 6, and no letters
  EXPECT_EQ(broken(options, "1", "a b c d e f"), FilterRule::min_letters);
  options.lines.min_letters = 0;
  EXPECT_EQ(broken(options, "1", "a b c d e f"), FilterRule::max_length_ratio);
}

TEST(PairRules, IgnoreTheTargetOfSingleLines) {
  FilterOptions options;
  const PairRules rules(options, /*in_pairs=*/false);
  EXPECT_EQ(rules.broken_by(pair_of("a line of text", "")), kKept);
  EXPECT_EQ(rules.broken_by(pair_of("1 2 3", "")), FilterRule::min_letters);
}

TEST(PairRules, ListThoseThatAreOn) {
  using Rules = std::vector<FilterRule>;
  EXPECT_EQ(PairRules(no_rules(), true).rules(), (Rules{FilterRule::not_text, FilterRule::empty}));
  EXPECT_EQ(
      PairRules({}, true).rules(),
      (Rules{FilterRule::not_text, FilterRule::empty, FilterRule::max_words,
             FilterRule::min_letters, FilterRule::max_length_ratio, FilterRule::drop_identical}));
  EXPECT_EQ(PairRules({}, false).rules(), (Rules{FilterRule::not_text, FilterRule::empty,
                                                 FilterRule::max_words, FilterRule::min_letters}));
  FilterOptions all;
  all.lines = {.min_words = 2,
               .max_words = 3,
               .min_characters = 2,
               .max_characters = 3,
               .max_word_length = 4,
               .min_letters = 0.1,
               .max_digits = 0.9,
               .max_punctuation = 0.9};
  all.pairs.max_character_ratio = 2;
  all.pairs.drop_repeating = true;
  all.languages = {"en", "de"};
  Rules expected;
  for (int rule = 0; rule <= static_cast<int>(FilterRule::tgt_lang); ++rule)
    expected.push_back(static_cast<FilterRule>(rule));
  EXPECT_EQ(PairRules(all, true).rules(), expected);
}

}  // namespace
}  // namespace attend
