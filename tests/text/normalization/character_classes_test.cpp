#include "attend/text/normalization/character_classes.h"

#include <gtest/gtest.h>

#include <string>

namespace attend::detail {
namespace {

std::string lowercased(char32_t c) {
  std::string text;
  append_lowercase(text, c);
  return text;
}

TEST(CharacterClasses, HaveTheIdeographsOfBert) {
  for (const char32_t c : {U'一', U'\u9FFF', U'\u3400', U'\U00020000', U'\uF900'})
    EXPECT_TRUE(is_ideograph(c)) << static_cast<unsigned>(c);
  for (const char32_t c : {U'a', U'あ', U'ア', U'한', U'。', U'\u33FF', U'\uA000', U'\U00030000'})
    EXPECT_FALSE(is_ideograph(c)) << static_cast<unsigned>(c);
}

TEST(CharacterClasses, RemoveControlsButNotLineBreaks) {
  for (const char32_t c :
       {U'\0', U'\x01', U'\x7F', U'\u0085', U'\u200B', U'\uFEFF', U'\uFFFD', U'\uE000'})
    EXPECT_TRUE(is_removed_by_bert(c)) << static_cast<unsigned>(c);
  for (const char32_t c : {U'\t', U'\n', U'\r', U' ', U'\u00A0', U'\u2028', U'ä'})
    EXPECT_FALSE(is_removed_by_bert(c)) << static_cast<unsigned>(c);
}

TEST(CharacterClasses, CountSymbolsOfAsciiAsPunctuation) {
  for (const char32_t c : {U'!', U'$', U'+', U'<', U'^', U'`', U'~', U'„', U'。', U'—'})
    EXPECT_TRUE(is_word_punctuation(c)) << static_cast<unsigned>(c);
  for (const char32_t c : {U'a', U'Z', U'0', U' ', U'\x7F', U'€', U'±'})
    EXPECT_FALSE(is_word_punctuation(c)) << static_cast<unsigned>(c);
}

TEST(CharacterClasses, HaveTheWordsOfRegularExpressions) {
  for (const char32_t c : {U'a', U'_', U'0', U'ß', U'\u0301', U'٣', U'‿', U'\u200D', U'Ⓐ', U'Ⅷ'})
    EXPECT_TRUE(is_word_character(c)) << static_cast<unsigned>(c);
  for (const char32_t c : {U' ', U'-', U'\'', U'½', U'€', U'\u200B'})
    EXPECT_FALSE(is_word_character(c)) << static_cast<unsigned>(c);
  EXPECT_TRUE(is_nonspacing_mark(U'\u0301'));
  EXPECT_FALSE(is_nonspacing_mark(U'\u0903')) << "a mark with a width of its own";
}

TEST(CharacterClasses, LowercaseLetterByLetter) {
  EXPECT_EQ(lowercased(U'A'), "a");
  EXPECT_EQ(lowercased(U'['), "[");
  EXPECT_EQ(lowercased(U'Ä'), "ä");
  EXPECT_EQ(lowercased(U'İ'), "i\u0307");
  EXPECT_EQ(lowercased(U'Σ'), "σ") << "also at the end of a word";
  EXPECT_EQ(lowercased(U'ẞ'), "ß");
  EXPECT_EQ(lowercased(U'中'), "中");
}

}  // namespace
}  // namespace attend::detail
