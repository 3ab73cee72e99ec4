#include "attend/text/huggingface/offset_trimming.h"

#include <gtest/gtest.h>

namespace attend::detail {
namespace {

// The part of the text that is left of a token.
std::string left_of(std::string_view text, std::string_view token, TokenSpan span,
                    OffsetTrimming trimming, bool is_first = false) {
  const TokenSpan left = trimmed(text, token, span, trimming, is_first);
  EXPECT_LE(left.begin, left.end);
  return std::string(text.substr(left.begin, left.end - left.begin)) + "@" +
         std::to_string(left.begin);
}

TEST(OffsetTrimming, TakesOffAsManyCharactersAsTheTokenHasSpaces) {
  const std::string text = "an  old \u00a0dog ";
  EXPECT_EQ(left_of(text, "\u0120\u0120old\u0120", {2, 8}, OffsetTrimming::all), "old@4");
  EXPECT_EQ(left_of(text, "\u0120\u0120old\u0120", {2, 8}, OffsetTrimming::none), "  old @2");
  EXPECT_EQ(left_of(text, "\u0120", {7, 8}, OffsetTrimming::all), "@8");
  EXPECT_EQ(left_of(text, "an", {0, 2}, OffsetTrimming::all, true), "an@0");
}

TEST(OffsetTrimming, CountsCharactersAndNotBytes) {
  const std::string text = "x\u00e9\u00a0y";
  EXPECT_EQ(left_of(text, "\u00a0y", {3, 6}, OffsetTrimming::all), "y@5") << "an added token";
  EXPECT_EQ(left_of(text, "\u00e9\u00a0", {1, 5}, OffsetTrimming::all), "\u00e9@1");
}

// A tokenizer that puts a space before texts puts one.
TEST(OffsetTrimming, MayLeaveOneSpaceBeforeTheFirstToken) {
  const auto all_but_one = OffsetTrimming::all_but_one;
  EXPECT_EQ(left_of("dog", "\u0120dog", {0, 3}, all_but_one, true), "dog@0");
  EXPECT_EQ(left_of(" dog", "\u0120dog", {0, 4}, all_but_one, true), " dog@0");
  EXPECT_EQ(left_of(" dog", "\u0120dog", {0, 4}, all_but_one, false), "dog@1");
  EXPECT_EQ(left_of("  dog", "\u0120\u0120dog", {0, 5}, all_but_one, true), "dog@2");
}

TEST(OffsetTrimming, OfASpaceAloneLeavesNothing) {
  EXPECT_EQ(left_of(" a", "\u0120", {0, 1}, OffsetTrimming::all_but_one, true), "@0");
  EXPECT_EQ(left_of("a", "\u0120", {0, 1}, OffsetTrimming::all_but_one, true), "@0")
      << "the space before the text has the place of its first character";
  EXPECT_EQ(left_of("a", "\u0120\u0120", {0, 1}, OffsetTrimming::all, false), "@1");
}

}  // namespace
}  // namespace attend::detail
