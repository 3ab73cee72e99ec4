#include "attend/text/language/language_features.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace attend::detail {
namespace {

using Hashes = std::vector<std::uint32_t>;

Hashes sorted_features(std::string_view text) {
  Hashes features = language_features(text);
  std::sort(features.begin(), features.end());
  return features;
}

// The numbers are those of tools/languages/ngrams.py.
TEST(LanguageFeatures, AreThoseThatTheModelWasTrainedOn) {
  EXPECT_EQ(sorted_features("ab"),
            (Hashes{0x04f184db, 0x06feac3d, 0x0a10e45d, 0x0a10e45d, 0x3f6b1ba4, 0x56350532,
                    0x6fcbb03b, 0x98187acd, 0xb6be29b7, 0xdff42561}));
  EXPECT_EQ(sorted_features("the"),
            (Hashes{0x0a10e45d, 0x0a10e45d, 0x0a10e45d, 0x235d84d9, 0x3a427dd2, 0x49d92107,
                    0x51f4fa4f, 0x6a5ba2f2, 0x6f9d29a5, 0x799791da, 0x86e1584f, 0x93776446,
                    0xc423ca54, 0xda0a55fb, 0xf2c7be9b, 0xf985db3c}));
}

TEST(LanguageFeatures, HaveOnlyPairsWhereWordsAreNotSeparated) {
  EXPECT_EQ(sorted_features("日本"),
            (Hashes{0x32b12275, 0x3c1feb58, 0x5030cbee, 0x74087692, 0x8567cfbc}));
  EXPECT_EQ(sorted_features("aไทย"),
            (Hashes{0x0a10e45d, 0x6fcbb03b, 0x8a5c6a36, 0x8e352a64, 0x98187acd, 0xa20eb8b6,
                    0xa5d2350b, 0xa5d2350b, 0xa5d2350b, 0xe41d256c, 0xe93b51b6, 0xebe70d2a}));
}

TEST(LanguageFeatures, AreTheSameInCapitalsAndInOtherForms) {
  EXPECT_EQ(sorted_features("ÄPFEL, the; İzmir"), sorted_features("a\u0308pfel the 12 izmir!"));
}

TEST(LanguageFeatures, LeaveAddressesAloneBesideWords) {
  EXPECT_EQ(sorted_features("siehe https://example.org/the und me@example.org"),
            sorted_features("siehe und"));
  EXPECT_EQ(sorted_features("https://example.org"), sorted_features("https example org"));
}

TEST(LanguageFeatures, NeedLetters) {
  for (const char* text : {"", " ", "12 + 3 = 15", "?!", "😀", "\xff\xfe", "___"})
    EXPECT_TRUE(language_features(text).empty()) << text;
}

TEST(LanguageFeatures, AreOfTheBeginningOfALongText) {
  const std::string text(4096, 'a');
  EXPECT_EQ(sorted_features(text + "b"), sorted_features(text));
  EXPECT_NE(sorted_features(text.substr(1) + "b"), sorted_features(text));
}

}  // namespace
}  // namespace attend::detail
