#include "attend/text/text_measures.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

TEST(TextMeasures, CountWordsBetweenWhiteSpace) {
  EXPECT_EQ(measure_text("The old dog").words, 3);
  EXPECT_EQ(measure_text("  The\told\xC2\xA0"
                         "dog\xE3\x80\x80 ")
                .words,
            3);
  EXPECT_EQ(measure_text("").words, 0);
  EXPECT_EQ(measure_text(" \t ").words, 0);
}

TEST(TextMeasures, CountEachHanLetterAndKanaAsAWord) {
  EXPECT_EQ(measure_text("狗在睡觉").words, 4);
  EXPECT_EQ(measure_text("カタ").words, 2);
  EXPECT_EQ(measure_text("用 Linux 系统").words, 4);
  EXPECT_EQ(measure_text("用Linux系统").words, 4);
  EXPECT_EQ(measure_text("개가 잔다").words, 2);  // Hangul is written with spaces
}

TEST(TextMeasures, CountCharactersWithoutOuterSpaces) {
  EXPECT_EQ(measure_text("Bär").characters, 3);
  EXPECT_EQ(measure_text("  a b \t").characters, 3);
  EXPECT_EQ(measure_text("  a b \t").visible, 2);
  EXPECT_EQ(measure_text("").characters, 0);
}

TEST(TextMeasures, FindTheLongestWord) {
  EXPECT_EQ(measure_text("ein Überraschungsei ist").longest_word, 15);
  EXPECT_EQ(measure_text("狗在睡觉").longest_word, 1);
  EXPECT_EQ(measure_text("狗abc").longest_word, 3);
  EXPECT_EQ(measure_text("").longest_word, 0);
}

TEST(TextMeasures, CountKindsOfCharacters) {
  const TextMeasures measures = measure_text("É 12½ +!? x");
  EXPECT_EQ(measures.letters, 2);
  EXPECT_EQ(measures.digits, 3);
  EXPECT_EQ(measures.punctuation, 3);
  EXPECT_EQ(measures.visible, 8);
  EXPECT_DOUBLE_EQ(measures.letter_share(), 0.25);
  EXPECT_DOUBLE_EQ(measures.digit_share(), 0.375);
  EXPECT_DOUBLE_EQ(measures.punctuation_share(), 0.375);
}

TEST(TextMeasures, CountMarksAsLetters) {
  EXPECT_EQ(measure_text("e\xCC\x81").letters, 2);  // e and a combining accent
  EXPECT_DOUBLE_EQ(measure_text("हिन्दी").letter_share(), 1);
}

TEST(TextMeasures, TakeAnyBytes) {
  EXPECT_EQ(measure_text("\xff\xfe").visible, 2);
  EXPECT_DOUBLE_EQ(measure_text(" ").letter_share(), 0);
}

}  // namespace
}  // namespace attend
