#include "attend/documents/html_characters.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

TEST(HtmlCharacters, AreReadByNameAndByNumber) {
  EXPECT_EQ(unescaped_html("&lt;a&gt; &amp; &quot;&auml;&nbsp;&#8364;&#x20AC;"),
            "<a> & \"\u00e4\u00a0\u20ac\u20ac");
}

TEST(HtmlCharacters, ThatNobodyKnowsStayAsTheyAre) {
  for (const char* text :
       {"&", "&;", "a & b", "&unknown;", "&#;", "&#x;", "&amp", "&#99999999999999999999;"})
    EXPECT_EQ(unescaped_html(text), text);
}

TEST(HtmlCharacters, OfNoCodePointAreReplaced) {
  for (const char* text : {"&#0;", "&#x110000;", "&#xd800;"})
    EXPECT_EQ(unescaped_html(text), "\ufffd") << text;
}

TEST(HtmlCharacters, AreEscapedBetweenTags) {
  EXPECT_EQ(escaped_html_text("a < b > c & d \" '"), "a &lt; b &gt; c &amp; d \" '");
  EXPECT_EQ(escaped_html_text("&unknown; &amp;"), "&unknown; &amp;amp;");
  EXPECT_EQ(escaped_xml_text("&unknown; &amp;"), "&amp;unknown; &amp;amp;")
      << "a reader of XML refuses names that it does not know";
}

TEST(HtmlCharacters, OfATextAreReadBackFromItsEscapes) {
  for (const char* text : {"", "a < b & c", "&lt;", "&&amp;;", "&unknown;", "\xff&\xc3"}) {
    EXPECT_EQ(unescaped_html(escaped_html_text(text)), text);
    EXPECT_EQ(unescaped_html(escaped_xml_text(text)), text);
  }
}

}  // namespace
}  // namespace attend
