#include "attend/core/strings/utf8.h"

#include <gtest/gtest.h>

#include <vector>

namespace attend {
namespace {

using namespace std::string_literals;

TEST(Utf8, AcceptsWellFormedText) {
  for (const std::string& text :
       {""s, "plain ascii, long enough for a word of eight bytes"s, "Mädchen"s, "\xED\x9F\xBF"s,
        "\xEE\x80\x80"s, "日本語"s, "🤖🎉"s, "\xF4\x8F\xBF\xBF"s, "a\0b"s}) {
    EXPECT_TRUE(is_utf8(text)) << text;
  }
}

TEST(Utf8, FindsTheFirstBadByte) {
  EXPECT_EQ(find_invalid_utf8("\x80"), 0u);  // continuation without a start
  EXPECT_EQ(find_invalid_utf8("Gr\xFC\xDF"
                              "e"),
            2u);                                         // Latin-1
  EXPECT_EQ(find_invalid_utf8("12345678\xC3"), 8u);      // cut off
  EXPECT_EQ(find_invalid_utf8("a\xE2\x82"), 1u);         // cut off
  EXPECT_EQ(find_invalid_utf8("\xC0\xAF"), 0u);          // overlong
  EXPECT_EQ(find_invalid_utf8("\xC1\xBF"), 0u);          // overlong
  EXPECT_EQ(find_invalid_utf8("\xE0\x9F\xBF"), 0u);      // overlong
  EXPECT_EQ(find_invalid_utf8("\xF0\x8F\xBF\xBF"), 0u);  // overlong
  EXPECT_EQ(find_invalid_utf8("x\xED\xA0\x80"), 1u);     // surrogate
  EXPECT_EQ(find_invalid_utf8("\xF4\x90\x80\x80"), 0u);  // above U+10FFFF
  EXPECT_EQ(find_invalid_utf8("\xF5\x80\x80\x80"), 0u);
  EXPECT_EQ(find_invalid_utf8("ok\xFF"), 2u);
}

TEST(Utf8, KnowsWhatIsBlank) {
  for (const std::string& text :
       {""s, " \t\r\n\v\f"s,
        "\u0085\u00A0\u1680\u2000\u200A\u200B\u2028\u2029\u202F\u205F\u3000\uFEFF"s})
    EXPECT_TRUE(is_blank(text));
  for (const std::string& text : {" a"s, "\u3000."s, "\u2010"s, "\0"s, "\xFF"s})
    EXPECT_FALSE(is_blank(text)) << text;
}

TEST(Utf8, EveryScalarValueSurvivesEncodingAndDecoding) {
  for (char32_t value = 0; value <= 0x10FFFF; ++value) {
    if (value >= 0xD800 && value <= 0xDFFF) continue;
    std::string text;
    append_code_point(text, value);
    ASSERT_TRUE(is_utf8(text)) << std::hex << static_cast<unsigned>(value);
    std::size_t at = 0;
    ASSERT_EQ(next_code_point(text, at), value);
    ASSERT_EQ(at, text.size());
  }
}

TEST(Utf8, ReadsBadBytesAsReplacementCharacters) {
  const std::string text = "a\xFFü\xE2\x82";
  std::vector<char32_t> seen;
  for (std::size_t at = 0; at < text.size();) seen.push_back(next_code_point(text, at));
  EXPECT_EQ(seen, (std::vector<char32_t>{U'a', 0xFFFD, U'ü', 0xFFFD, 0xFFFD}));
  EXPECT_EQ(count_code_points(text), 5u);
}

TEST(Utf8, WritesWhatIsNoScalarValueAsReplacement) {
  std::string text;
  append_code_point(text, 0xD800);
  append_code_point(text, 0x110000);
  EXPECT_EQ(text, "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(Utf8, FindsWhereTheCharacterBeforeAPlaceBegins) {
  const std::string text = "aé日🤖";
  std::vector<std::size_t> begins;
  for (std::size_t at = text.size(); at > 0; at = begins.back())
    begins.push_back(begin_of_character_before(text, at));
  EXPECT_EQ(begins, (std::vector<std::size_t>{6, 3, 1, 0}));
}

TEST(Utf8, HasCharactersOfOneOrMoreBytes) {
  EXPECT_EQ(characters_of("aß\xFF京"), (std::vector<std::string_view>{"a", "ß", "\xFF", "京"}));
  EXPECT_TRUE(characters_of("").empty());
}

}  // namespace
}  // namespace attend
