#include "attend/documents/markup/html_characters.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

TEST(HtmlCharacters, AreReadByNameAndByNumber) {
  EXPECT_EQ(unescaped_html("&lt;a&gt; &amp; &quot;&auml;&nbsp;&#8364;&#x20AC;"),
            "<a> & \"\u00e4\u00a0\u20ac\u20ac");
  EXPECT_EQ(unescaped_html("&Scaron;&rarr;&CounterClockwiseContourIntegral;&NotEqualTilde;"),
            "\u0160\u2192\u2233\u2242\u0338");
}

TEST(HtmlCharacters, OfOldNamesAndOfNumbersNeedNoSemicolon) {
  EXPECT_EQ(unescaped_html("&copy 2020, AT&ampT, &#65 &#x41."), "\u00a9 2020, AT&T, A A.");
  EXPECT_EQ(unescaped_html("&notit; &notin; &rarr"), "\u00acit; \u2209 &rarr");
}

TEST(HtmlCharacters, OfWindowsAreReadByTheirNumbers) {
  EXPECT_EQ(unescaped_html("&#128;&#x92;&#129;"), "\u20ac\u2019\u0081");
}

TEST(HtmlCharacters, ThatNobodyKnowsStayAsTheyAre) {
  for (const char* text : {"&", "&;", "a & b", "&unknown;", "&#;", "&#x;", "&#", "&x"})
    EXPECT_EQ(unescaped_html(text), text);
}

TEST(HtmlCharacters, OfNoCodePointAreReplaced) {
  for (const char* text : {"&#0;", "&#x110000;", "&#xd800;", "&#99999999999999999999;"})
    EXPECT_EQ(unescaped_html(text), "\ufffd") << text;
}

TEST(HtmlCharacters, AreEscapedBetweenTags) {
  EXPECT_EQ(escaped_markup("a < b > c & d \" '"), "a &lt; b &gt; c &amp; d \" '");
  EXPECT_EQ(escaped_markup("&unknown; &amp;"), "&amp;unknown; &amp;amp;");
}

TEST(HtmlCharacters, OfATextAreReadBackFromItsEscapes) {
  for (const char* text : {"", "a < b & c", "&lt;", "&&amp;;", "&unknown;", "\xff&\xc3", "&copy"})
    EXPECT_EQ(unescaped_html(escaped_markup(text)), text);
}

}  // namespace
}  // namespace attend
