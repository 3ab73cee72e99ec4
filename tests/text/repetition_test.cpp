#include "attend/text/repetition.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

TEST(RepeatedPart, IsFoundInCircles) {
  EXPECT_EQ(repeated_part("Der Hund schläft.", "the the the dog"), "the");
  EXPECT_EQ(repeated_part("Der Hund schläft.", "the dog, the dog, the dog sleeps"), "the dog");
  EXPECT_EQ(repeated_part("Der Hund schläft.", "that he does not sleep that he does not sleep"),
            "that he does not sleep");
  EXPECT_EQ(repeated_part("Der Hund schläft.", "狗睡觉狗睡觉狗睡觉"), "狗睡觉");
  EXPECT_EQ(repeated_part("Der Hund schläft.", "hahahahahahaha"), "ha");
}

TEST(RepeatedPart, IsFoundWithOtherWordsBetween) {
  EXPECT_EQ(
      repeated_part("Er geht und kommt.", "one of the best a one of the best b one of the best"),
      "one of the best");
}

TEST(RepeatedPart, IsNoneWhereTheSourceRepeats) {
  EXPECT_EQ(repeated_part("No, no, no!", "Nein, nein, nein!"), "");
  EXPECT_EQ(repeated_part("Again and again and again.", "Wieder und wieder und wieder."), "");
  EXPECT_EQ(repeated_part("hahahahahahaha", "hihihihihihihi"), "");
  EXPECT_EQ(repeated_part("No, no!", "Nein, nein, nein!"), "");
}

TEST(RepeatedPart, IsNoneInOrdinaryText) {
  for (const char* text : {"", ".", "a", "She had had enough.", "very, very good",
                           "the dog and the cat and the bird", "1 2 1 2", "妈妈说好好好", "ha ha"})
    EXPECT_EQ(repeated_part("Ein Satz.", text), "") << text;
}

}  // namespace
}  // namespace attend
