#include "attend/documents/subtitles/cut_translation.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

std::vector<std::string> words_of_cue(std::string_view text) {
  std::vector<std::string> all;
  for (const CueWord& word : cue_words(text))
    all.push_back((word.has_space ? " " : "") + std::string(word.place.of(text)));
  return all;
}

TEST(CutTranslation, KnowsWhereLinesMayEnd) {
  EXPECT_EQ(words_of_cue(" a-b  c."), (std::vector<std::string>{"a-b", " c."}));
  EXPECT_EQ(words_of_cue("我是「你好」a。"),
            (std::vector<std::string>{"我", "是", "「你", "好」", "a。"}));
  EXPECT_EQ(words_of_cue("10\u00a0% a"), (std::vector<std::string>{"10\u00a0%", " a"}));
}

std::vector<std::size_t> lines(std::string_view text, std::vector<double> shares,
                               std::size_t width) {
  return break_lines(cue_words(text), shares, width);
}

TEST(CutTranslation, BreaksLinesWhereTheSourceDoes) {
  EXPECT_EQ(lines("aa bb cc dd", {0.5}, 42), std::vector<std::size_t>{2});
  EXPECT_EQ(lines("aa bb cc dd", {0.2}, 42), std::vector<std::size_t>{1});
  EXPECT_EQ(lines("aa bb cc dd", {0.95}, 42), std::vector<std::size_t>{3}) << "a word stays";
  EXPECT_EQ(lines("aa", {0.5}, 42), std::vector<std::size_t>{});
  EXPECT_EQ(lines("aa bb cc dd", {}, 5), std::vector<std::size_t>{}) << "one line stays one";
}

TEST(CutTranslation, MakesLinesEqualIfOneIsTooLong) {
  EXPECT_EQ(lines("aa bb cc dd", {0.2}, 6), std::vector<std::size_t>{2});
  EXPECT_EQ(lines("aa bb cc dddddddd", {0.2}, 6), std::vector<std::size_t>{3});
}

// Both texts word by word, aligned as said.
std::vector<std::string> cut(const MarkedText& source, const std::vector<CuePart>& parts,
                             const std::string& translation,
                             const std::vector<std::pair<int, int>>& alignment) {
  TranslationCandidate candidate;
  candidate.text = translation;
  candidate.alignment = alignment;
  const TranslatedText translated{source.text, {{0, source.text.size()}}, {{{candidate}, {}}}};
  return cut_translation(source, parts, translated, 0,
                         {.escape = [](std::string_view text) { return std::string(text); }});
}

using Parts = std::vector<std::string>;

TEST(CutTranslation, CutsAtTheAlignment) {
  const MarkedText source{.text = "I have seen the old house there"};
  EXPECT_EQ(cut(source, {{12, {}}, {31, {}}}, "Dort habe ich es gesehen, das Haus", {}),
            (Parts{"Dort habe ich", "es gesehen, das Haus"}));
  EXPECT_EQ(cut(source, {{12, {}}, {31, {}}}, "Ich habe gesehen das alte Haus dort",
                {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}, {6, 6}}),
            (Parts{"Ich habe gesehen", "das alte Haus dort"}));
}

TEST(CutTranslation, GivesEachCueAWordIfThereAreEnough) {
  const MarkedText source{.text = "aa bb cc dd"};
  const std::vector<CuePart> parts{{3, {}}, {6, {}}, {9, {}}, {11, {}}};
  EXPECT_EQ(cut(source, parts, "x y z w", {{3, 0}, {3, 1}, {3, 2}, {3, 3}}),
            (Parts{"x", "y", "z", "w"}));
  EXPECT_EQ(cut(source, parts, "x y", {}), (Parts{"x", "y", "", ""}));
  EXPECT_EQ(cut(source, parts, "", {}), (Parts{"", "", "", ""}));
}

TEST(CutTranslation, ClosesTagsBeforeACutAndOpensThemAgain) {
  MarkedText source{.text = "a b c d"};
  source.marks.push_back({2, 5, "\x01o<c.x>\x02",
                          "\x01"
                          "c</c>\x02",
                          -1});
  EXPECT_EQ(cut(source, {{4, {}}, {7, {}}}, "x y z w", {{0, 0}, {1, 1}, {2, 2}, {3, 3}}),
            (Parts{"x <c.x>y</c>", "<c.x>z</c> w"}));
}

TEST(CutTranslation, BreaksLinesWithinParts) {
  const MarkedText source{.text = "a b c d"};
  EXPECT_EQ(cut(source, {{4, {2}}, {7, {}}}, "x y z w", {{0, 0}, {1, 1}, {2, 2}, {3, 3}}),
            (Parts{"x\ny", "z w"}));
}

}  // namespace
}  // namespace attend
