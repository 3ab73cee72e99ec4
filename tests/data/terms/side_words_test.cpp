#include "attend/data/terms/side_words.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "attend/core/strings/unicode.h"

namespace attend {
namespace {

using Lines = std::vector<std::string>;

// The words of a text, with a bar before each that more than a space separates from the last.
std::string words_in(const std::string& text) {
  std::string all;
  for (const auto& [word, break_before] : plain_words(text))
    all += (all.empty() ? "" : break_before ? "|" : " ") + std::string(word);
  return all;
}

TEST(PlainWords, AreLettersDigitsAndHyphensBetweenThem) {
  EXPECT_EQ(words_in("An old dog."), "An old dog");
  EXPECT_EQ(words_in("a T-shirt, 5 co- workers' -x- a--b"), "a T-shirt|5 co|workers|x|a|b");
  EXPECT_EQ(words_in(" \xc3\xa9t\xc3\xa9"), "\xc3\xa9t\xc3\xa9");
  EXPECT_EQ(words_in("... -"), "");
}

const SideWords::Word* word_of(const SideWords& side, std::u32string_view small) {
  for (const SideWords::Word& word : side.words())
    if (word.small == small) return &word;
  return nullptr;
}

TEST(SideWords, AreWrittenAsTheyAreWithinLines) {
  const SideWords side(Lines{"Dogs see the Bank", "Dogs see dogs bank", "Bank and Bank", "Only"});
  EXPECT_EQ(word_of(side, U"dogs")->written, "dogs");
  EXPECT_EQ(word_of(side, U"dogs")->lines.size(), 2u);
  EXPECT_EQ(word_of(side, U"dogs")->begins, SideWords::Case::small);
  EXPECT_EQ(word_of(side, U"bank")->written, "Bank");
  EXPECT_EQ(word_of(side, U"bank")->begins, SideWords::Case::capital);
  EXPECT_EQ(word_of(side, U"bank")->lines, (std::vector<std::int32_t>{0, 2}));
  EXPECT_EQ(word_of(side, U"only")->written, "Only");
  EXPECT_EQ(word_of(side, U"only")->begins, SideWords::Case::unknown);
}

TEST(SideWords, KnowTheirLinesOnce) {
  const SideWords side(Lines{"a dog, a dog", "", "dog"});
  EXPECT_EQ(word_of(side, U"dog")->lines, (std::vector<std::int32_t>{0, 2}));
  EXPECT_EQ(side.line(0).size(), 5u) << "with a break";
  EXPECT_EQ(side.line(0)[2], SideWords::kBreak);
  EXPECT_TRUE(side.line(1).empty());
}

TEST(SideWords, AreFoundByTheirFirstLettersWithoutMarks) {
  const SideWords side(Lines{"H\xc3\xa4user Haus Hose"});
  EXPECT_EQ(side.beginning_like(U"hausen").size(), 2u);
  EXPECT_EQ(side.beginning_like(U"hau").size(), 2u);
  EXPECT_EQ(unicode::encode(bare_letters(U"\u00e4\u00df\u0142\ud55c")),
            "a\xc3\x9f\xc5\x82\xed\x95\x9c");
  EXPECT_EQ(side.beginning_like(U"xyz").size(), 0u);
}

}  // namespace
}  // namespace attend
