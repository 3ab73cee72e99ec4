#include "attend/text/words.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

std::vector<std::string> texts_of(std::string_view text) {
  std::vector<std::string> texts;
  for (const TextWord& word : words_of_text(text)) texts.push_back(word.text);
  return texts;
}

using Texts = std::vector<std::string>;

TEST(WordsOfText, AreWithoutPunctuation) {
  EXPECT_EQ(texts_of("\"Don't\", says O\u2019Neill \u2014 the well-known man."),
            (Texts{"Don't", "says", "O\u2019Neill", "the", "well-known", "man"}));
  EXPECT_EQ(texts_of("-- 'a' b- -c d--e"), (Texts{"a", "b", "c", "d", "e"}));
  EXPECT_EQ(texts_of(" ... "), Texts{});
}

TEST(WordsOfText, AreCharactersWithoutSpaces) {
  EXPECT_EQ(texts_of("我有2只猫"), (Texts{"我", "有", "2", "只", "猫"}));
  EXPECT_TRUE(words_of_text("猫").front().is_character);
  EXPECT_FALSE(words_of_text("кот").front().is_character);
}

TEST(WordsOfText, BeginWithCapitalsOrNot) {
  EXPECT_TRUE(is_capitalized("Über"));
  EXPECT_FALSE(is_capitalized("über"));
  EXPECT_FALSE(is_capitalized(""));
  EXPECT_TRUE(is_small_word("über"));
  EXPECT_FALSE(is_small_word("Über"));
  EXPECT_FALSE(is_small_word("1st"));
  EXPECT_EQ(lower_words_of_text("ÜBER Tom").front().text, "über");
}

}  // namespace
}  // namespace attend
