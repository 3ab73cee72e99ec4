#include <gtest/gtest.h>

#include <memory>

#include "attend/error.h"
#include "attend/translation_breakdown.h"
#include "core/scoped_threads.h"

namespace attend {
namespace {

const std::vector<std::string> kGermanLines{
    "Anna hat am 14. Mai 2 Hunde.", "Er kommt nicht.", "Das ist gut.",
    "Der alte Hund und die alte Katze und der junge Hund schlafen im Haus ."};
const std::vector<std::string> kEnglishLines{
    "Anna has 2 dogs on May 14.", "He does not come.", "That is good.",
    "The old dog and the old cat and the young dog sleep in the house ."};
const std::vector<std::string> kGivenLines{
    "Anna has 3 dogs on 14 May.", "He comes.", "That is not good.",
    "The old dog and the old dog and the old dog and the old dog and the old dog sleep ."};

TranslationBreakdown broken_down(const std::vector<std::string>& training = {},
                                 const LanguagePair& languages = {"de", "en"}) {
  BreakdownOptions options;
  options.languages = languages;
  if (!training.empty()) {
    const auto words = std::make_shared<WordFrequencies>();
    for (const std::string& line : training) words->add(line);
    options.training_words = words;
  }
  return break_down(kGermanLines, kGivenLines, {kEnglishLines}, options);
}

std::vector<std::string> some_of(const std::vector<std::string>& lines,
                                 const std::vector<std::size_t>& numbers) {
  std::vector<std::string> some;
  for (const std::size_t line : numbers) some.push_back(lines[line]);
  return some;
}

void expect_group(const LineGroup& group, const std::string& name,
                  const std::vector<std::size_t>& lines) {
  EXPECT_EQ(group.name, name);
  EXPECT_EQ(group.lines, std::ssize(lines));
  const References references{some_of(kEnglishLines, lines)};
  ASSERT_EQ(group.scores.size(), 2u);
  EXPECT_DOUBLE_EQ(group.scores[0], corpus_bleu(some_of(kGivenLines, lines), references).score);
  EXPECT_DOUBLE_EQ(group.scores[1], corpus_chrf(some_of(kGivenLines, lines), references));
}

void expect_words(const WordGroup& group, const std::string& name, const HitCounts& words) {
  EXPECT_EQ(group.name, name);
  EXPECT_EQ(group.words.gold, words.gold) << name;
  EXPECT_EQ(group.words.predicted, words.predicted) << name;
  EXPECT_EQ(group.words.hits, words.hits) << name;
}

const LineList& flag_named(const TranslationBreakdown& breakdown, const std::string& name) {
  for (const LineList& flag : breakdown.flags)
    if (flag.name == name) return flag;
  throw DataError("no flag " + name);
}

TEST(Breakdown, SplitsByTheWordsOfTheSource) {
  const TranslationBreakdown breakdown = broken_down();
  EXPECT_EQ(breakdown.metrics, (std::vector<std::string>{"BLEU", "chrF2"}));
  ASSERT_EQ(breakdown.source_lengths.size(), 2u) << "of six, the others have no lines";
  expect_group(breakdown.source_lengths[0], "0-10", {0, 1, 2});
  expect_group(breakdown.source_lengths[1], "11-20", {3});
  EXPECT_TRUE(breakdown.rarest_words.empty());
  EXPECT_TRUE(breakdown.word_frequencies.empty());
}

TEST(Breakdown, PutsALengthIntoTheBinThatEndsWithIt) {
  std::vector<std::string> sources;
  for (const int words : {10, 11, 20, 21, 30, 40, 60, 61}) {
    sources.emplace_back();
    for (int i = 0; i < words; ++i) sources.back() += "w ";
  }
  std::vector<std::pair<std::string, std::int64_t>> bins;
  for (const LineGroup& group : break_down(sources, sources, {sources}).source_lengths)
    bins.emplace_back(group.name, group.lines);
  EXPECT_EQ(bins,
            (std::vector<std::pair<std::string, std::int64_t>>{
                {"0-10", 1}, {"11-20", 2}, {"21-30", 2}, {"31-40", 1}, {"41-60", 1}, {"61+", 1}}));
}

// "is", "that" and "good" 10 times, "dog" once; "comes" and all others never.
TEST(Breakdown, SplitsByTheWordsOfTheTrainingText) {
  std::vector<std::string> training(10, "That is GOOD, that.");
  training.push_back("the dog");
  const TranslationBreakdown breakdown = broken_down(training);
  ASSERT_EQ(breakdown.rarest_words.size(), 2u);
  expect_group(breakdown.rarest_words[0], "0", {0, 1, 3});
  expect_group(breakdown.rarest_words[1], "10-99", {2});
  const auto& words = breakdown.word_frequencies;
  ASSERT_EQ(words.size(), 5u);
  // References: 7 + 4 + 8 words that were never seen (of line 4: old, and, old, cat, and, young,
  // sleep, in, house: 9). Translations: 7 + 2 + 1 + (5 old, 4 and, sleep). Both have anna, has,
  // dogs, on, may, 14; he; old twice, and twice, sleep.
  expect_words(words[0], "0", {7 + 4 + 9, 7 + 2 + 1 + 10, 6 + 1 + 5});
  // the and dog: 4 + 2 against 5 + 5.
  expect_words(words[1], "1-9", {6, 10, 6});
  expect_words(words[2], "10-99", {3, 3, 3});
  expect_words(words[3], "100-999", {});
  expect_words(words[4], "1000+", {});
}

TEST(Breakdown, CountsWordsThatStayAsTheyAre) {
  const auto copied = broken_down().copied;
  ASSERT_EQ(copied.size(), 3u);
  expect_words(copied[0], "numbers", {2, 1, 1});  // 14, 2
  expect_words(copied[1], "names", {1, 1, 1});    // Anna; "Mai" is another word
  expect_words(copied[2], "other words", {});
  const std::vector<std::string> source{"Anna sah Bert und die die"}, expected{"Anna saw Bert"},
      given{"Bert und die"};
  const auto again = break_down(source, given, {expected}).copied;
  expect_words(again[1], "names", {2, 1, 1});
  expect_words(again[2], "other words", {0, 2, 0});  // und, die once: copied though they should not
}

TEST(Breakdown, FindsLostAndAddedNegation) {
  const TranslationBreakdown breakdown = broken_down();
  EXPECT_TRUE(breakdown.negation_known);
  EXPECT_EQ(breakdown.negated, 1);
  EXPECT_EQ(breakdown.not_negated, 3);
  EXPECT_EQ(breakdown.lost_negation.lines, std::vector<std::int64_t>{1});
  EXPECT_EQ(breakdown.added_negation.lines, std::vector<std::int64_t>{2});
  for (const LanguagePair& unknown : {LanguagePair{"de", "cs"}, LanguagePair{"", "en"}}) {
    const TranslationBreakdown other = broken_down({}, unknown);
    EXPECT_FALSE(other.negation_known);
    EXPECT_EQ(other.negated + other.not_negated, 0);
    EXPECT_TRUE(other.lost_negation.lines.empty());
  }
}

// A reference that says it in another way says nothing of the translation.
TEST(Breakdown, LeavesOutNegationThatTheReferenceTurns) {
  BreakdownOptions options;
  options.languages = {"de", "en"};
  const auto breakdown =
      break_down(std::vector<std::string>{"Er ist nicht klein."},
                 std::vector<std::string>{"He is tall."}, {{"He is tall."}}, options);
  EXPECT_EQ(breakdown.negated + breakdown.not_negated, 0);
}

TEST(Breakdown, ListsLinesThatLookWrong) {
  const TranslationBreakdown breakdown = broken_down();
  EXPECT_EQ(flag_named(breakdown, "repetition").lines, std::vector<std::int64_t>{3});
  EXPECT_TRUE(flag_named(breakdown, "copy").lines.empty());
  EXPECT_EQ(breakdown.flags.size(), 7u);
  EXPECT_EQ(broken_down({}, {}).flags.size(), 6u) << "a language that is not known";
}

TEST(Breakdown, FlagsNothingThatTheReferenceHas) {
  const std::vector<std::string> sources{"Im Jahr 1984", "Im Jahr 1984"},
      given{"In the year 1985", "In the year 1985"};
  const auto breakdown = break_down(sources, given, {{"In the year 1984", "In the year 1948"}});
  EXPECT_EQ(flag_named(breakdown, "numbers").lines, std::vector<std::int64_t>{0});
}

TEST(Breakdown, IsTheSameWithSeveralThreads) {
  const auto flags = [&](int count) {
    const ScopedThreads scope(count);
    std::vector<std::string> sources, given, expected;
    for (int i = 0; i < 40; ++i) {
      const auto line = static_cast<std::size_t>(i % 4);
      sources.push_back(kGermanLines[line]);
      given.push_back(kGivenLines[line]);
      expected.push_back(kEnglishLines[line]);
    }
    return flag_named(break_down(sources, given, {expected}), "repetition").lines;
  };
  EXPECT_EQ(flags(1), flags(3));
  EXPECT_EQ(flags(1).size(), 10u);
}

TEST(Breakdown, RefusesTextsOfOtherLengths) {
  EXPECT_THROW(break_down(std::vector<std::string>{"a"}, kGivenLines, {kEnglishLines}), DataError);
  EXPECT_THROW(break_down(kGermanLines, kGivenLines, {{"a"}}), DataError);
  EXPECT_THROW(break_down(kGermanLines, kGivenLines, {}), ConfigError);
  std::vector<std::string> broken = kGermanLines;
  broken[2] = "\xff";
  EXPECT_THROW(break_down(broken, kGivenLines, {kEnglishLines}), DataError);
}

TEST(WorstLines, HaveTheLowestChrf) {
  const References references{kEnglishLines};
  const auto all = worst_lines(kGivenLines, references, 9);
  ASSERT_EQ(all.size(), 4u) << "as many as there are";
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto line = static_cast<std::size_t>(all[i].line);
    EXPECT_DOUBLE_EQ(all[i].chrf,
                     sentence_chrf(kGivenLines[line], std::vector{kEnglishLines[line]}));
    if (i > 0) {
      EXPECT_LE(all[i - 1].chrf, all[i].chrf);
    }
  }
  const auto two = worst_lines(kGivenLines, references, 2);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[0].line, all[0].line);
  ChrfOptions words;
  words.word_order = 2;
  EXPECT_NE(worst_lines(kGivenLines, references, 1, words)[0].chrf, two[0].chrf);
  const std::vector<std::string> equal(3, "no match");
  const auto first = worst_lines(equal, {{"x", "x", "x"}}, 2);
  EXPECT_EQ(first[0].line, 0);
  EXPECT_EQ(first[1].line, 1);
  EXPECT_THROW(worst_lines(kGivenLines, references, -1), ConfigError);
}

}  // namespace
}  // namespace attend
