#include "attend/documents/sentences/periods.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

// Of the period before " | ", which is left out; the sentence begins with `text`.
Period period_in(std::string& text) {
  const std::size_t at = text.find(". | ");
  text.erase(at + 1, 2);
  return {text, at, 0, at + 2};
}

bool belongs(std::string text, const char* language) {
  const Period period = period_in(text);
  return belongs_to_word(period, SentenceRules::of(language, ""));
}

TEST(Periods, BelongToAbbreviations) {
  EXPECT_TRUE(belongs("I saw Dr. | Smith", "en"));
  EXPECT_TRUE(belongs("Man sieht z. B. | Die", "de")) << "the parts of an abbreviation";
  EXPECT_TRUE(belongs("Man sieht z. | B. Die", "de"));
  EXPECT_TRUE(belongs(" B. | Stadt", "de")) << "nothing stands before the space";
  EXPECT_TRUE(belongs("Il y a l'art. | 5", "fr")) << "after an apostrophe";
  EXPECT_FALSE(belongs("I saw Jim. | Smith", "en"));
  EXPECT_FALSE(belongs("I said no. | Then", "en"));
  EXPECT_TRUE(belongs("I like no. | 5", "en"));
}

TEST(Periods, BelongToInitialsAndShortParts) {
  EXPECT_TRUE(belongs("By J. | Bach", "en"));
  EXPECT_TRUE(belongs("By J.-P. | Sartre", "en"));
  EXPECT_TRUE(belongs("Se A. | I. Rabin", "sv")) << "I is an initial here";
  EXPECT_FALSE(belongs("Take vitamin C. | The", "en"));
  EXPECT_TRUE(belongs("The U.S.A. | Army", "en"));
  EXPECT_FALSE(belongs("Get Node.js. | Army", "en"));
  EXPECT_TRUE(belongs("ו א. | ב", "he"));
  EXPECT_FALSE(belongs("ו צה\"ל. | ב", "he")) << "quotes within a word";
}

TEST(Periods, BelongToOrdinals) {
  EXPECT_TRUE(belongs("Am 3. | Oktober", "de"));
  EXPECT_TRUE(belongs("Am 3. | 10", "de"));
  EXPECT_FALSE(belongs("Um 30. | Der", "de"));
  EXPECT_FALSE(belongs("Um 1990. | Oktober", "de"));
  EXPECT_FALSE(belongs("Dne 3. | Pak", "cs"));
  EXPECT_TRUE(belongs("Dne 3. | 5", "cs"));
  EXPECT_FALSE(belongs("At 3. | 5", "en"));
  EXPECT_TRUE(belongs("És II. | Rákóczi", "hu"));
}

TEST(Periods, EndUnitsAfterNumbers) {
  EXPECT_FALSE(belongs("В 1990 г. | Москва", "ru"));
  EXPECT_TRUE(belongs("В г. | Москва", "ru"));
}

TEST(Periods, BelongToNumbersOfLists) {
  std::string text = "1. | First";
  EXPECT_TRUE(ends_enumerator(period_in(text)));
  text = "a. | First";
  EXPECT_TRUE(ends_enumerator(period_in(text)));
  text = "네. | 알겠습니다";
  EXPECT_FALSE(ends_enumerator(period_in(text)));
  text = "So: 1. | First";
  EXPECT_TRUE(ends_enumerator(period_in(text)));
  text = "So 1. | First";
  EXPECT_FALSE(ends_enumerator(period_in(text)));
  text = "2001. | First";
  EXPECT_FALSE(ends_enumerator(period_in(text)));
}

TEST(Periods, EndLongWords) {
  EXPECT_FALSE(belongs(std::string(100, 'x') + ".J. | Bach", "en"));
  EXPECT_FALSE(belongs(" . | Bach", "en"));
}

}  // namespace
}  // namespace attend
