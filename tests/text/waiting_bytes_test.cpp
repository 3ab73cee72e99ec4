#include "attend/text/waiting_bytes.h"

#include <gtest/gtest.h>

#include <string>

namespace attend::detail {
namespace {

constexpr const char* kReplacement = "\uFFFD";

std::string replacements(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += kReplacement;
  return text;
}

TEST(WaitingBytes, ReturnsACharacterWithItsLastByte) {
  WaitingBytes bytes(BrokenBytes::each);
  EXPECT_EQ(bytes.add("a\xF0"), "a");
  EXPECT_EQ(bytes.add("\x9F\x98"), "");
  EXPECT_EQ(bytes.add("\x80z"), "\U0001F600z");
  EXPECT_EQ(bytes.finish(), "");
}

TEST(WaitingBytes, ReplacesWhatCannotBecomeACharacterAtOnce) {
  for (const BrokenBytes broken : {BrokenBytes::each, BrokenBytes::parts}) {
    WaitingBytes bytes(broken);
    EXPECT_EQ(bytes.add("\x80"), kReplacement) << "a byte that only continues";
    EXPECT_EQ(bytes.add("\xFF"), kReplacement);
    EXPECT_EQ(bytes.add("\xC3"), "");
    EXPECT_EQ(bytes.add("a"), std::string(kReplacement) + "a");
  }
}

TEST(WaitingBytes, CountsBrokenBytesAsItsOriginalDoes) {
  // Three bytes of four, then a letter: one part, but three bytes.
  WaitingBytes each(BrokenBytes::each), parts(BrokenBytes::parts);
  EXPECT_EQ(each.add("\xF0\x9F\x98"
                     "a"),
            replacements(3) + "a");
  EXPECT_EQ(parts.add("\xF0\x9F\x98"
                      "a"),
            replacements(1) + "a");
}

TEST(WaitingBytes, ReplacesSurrogatesAndWhatIsTooLong) {
  WaitingBytes parts(BrokenBytes::parts);
  EXPECT_EQ(parts.add("\xED\xA0\x80"), replacements(3)) << "half of a pair is no beginning";
  EXPECT_EQ(parts.add("\xC0\xAF"), replacements(2)) << "a slash in two bytes";
  EXPECT_EQ(parts.add("\xF4\x90\x80\x80"), replacements(4)) << "above the last character";
}

TEST(WaitingBytes, ReplacesAnUnfinishedCharacterAtTheEnd) {
  WaitingBytes each(BrokenBytes::each), parts(BrokenBytes::parts);
  EXPECT_EQ(each.add("\xE2\x82"), "");
  EXPECT_EQ(each.finish(), replacements(2));
  EXPECT_EQ(parts.add("\xE2\x82"), "");
  EXPECT_EQ(parts.finish(), replacements(1));
  EXPECT_EQ(each.finish(), "") << "nothing is left";
}

TEST(WaitingBytes, KeepsTheReplacementCharacterItself) {
  WaitingBytes parts(BrokenBytes::parts);
  EXPECT_EQ(parts.add("\uFFFD"), kReplacement);
  EXPECT_EQ(parts.finish(), "");
}

}  // namespace
}  // namespace attend::detail
