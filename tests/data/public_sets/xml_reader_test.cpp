#include "attend/data/public_sets/xml_reader.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "attend/core/strings/unicode.h"
#include "attend/error.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

// As one text: "<name attributes>", "</name>", texts.
std::string pieces(const std::string& xml, std::size_t at_once = 1 << 16) {
  std::size_t at = 0;
  XmlReader reader(
      [&](char* to, std::size_t capacity) {
        const std::size_t count = std::min({capacity, at_once, xml.size() - at});
        std::copy_n(xml.begin() + static_cast<std::ptrdiff_t>(at), count, to);
        at += count;
        return count;
      },
      "x.xml");
  std::string all;
  for (XmlPiece piece; reader.next(piece);) {
    if (piece.kind == XmlPiece::Kind::text) all += piece.text;
    if (piece.kind == XmlPiece::Kind::end) all += "</" + piece.name + ">";
    if (piece.kind == XmlPiece::Kind::start)
      all += "<" + piece.name + piece.attributes + (piece.closes_self ? "/>" : ">");
  }
  return all;
}

std::string utf16(std::string_view text, bool big, bool with_mark = true) {
  std::string bytes;
  const auto add = [&](char32_t unit) {
    const char low = static_cast<char>(unit & 0xff), high = static_cast<char>(unit >> 8 & 0xff);
    bytes += big ? high : low;
    bytes += big ? low : high;
  };
  if (with_mark) add(0xfeff);
  for (const char32_t c : unicode::decode(text)) {
    if (c < 0x10000) {
      add(c);
    } else {
      add(0xd800 + ((c - 0x10000) >> 10));
      add(0xdc00 + ((c - 0x10000) & 0x3ff));
    }
  }
  return bytes;
}

const std::string kXml = "<?xml version=\"1.0\"?><a x='>' y=\"'\">ü€𝄞<b/> &amp;</a>\n";
const std::string kPieces = "<a x='>' y=\"'\">ü€𝄞<b/> &</a>\n";

TEST(XmlReader, ReadsPieces) { EXPECT_EQ(pieces(kXml), kPieces); }

TEST(XmlReader, ReadsPiecesOfAnySize) {
  for (const std::size_t at_once : {1, 2, 3, 5, 7}) EXPECT_EQ(pieces(kXml, at_once), kPieces);
  EXPECT_EQ(pieces("x", 1), "x");
  EXPECT_EQ(pieces("", 1), "");
}

TEST(XmlReader, ReadsUtf16) {
  for (const bool big : {false, true}) {
    for (const std::size_t at_once : {1, 2, 3, 1000}) {
      EXPECT_EQ(pieces(utf16(kXml, big), at_once), kPieces);
      EXPECT_EQ(pieces(utf16(kXml, big, /*with_mark=*/false), at_once), kPieces);
    }
  }
  EXPECT_EQ(pieces("\xef\xbb\xbf" + kXml), kPieces);
  EXPECT_EQ(pieces(std::string("\xff\xfe"
                               "a\0\x00\xd8"
                               "b\0",
                               8)),
            "a\ufffdb");
}

TEST(XmlReader, PassesOverWhatIsNoContent) {
  EXPECT_EQ(pieces("<!DOCTYPE a [<!ENTITY x \"]>\"> <!-- ]> ' -->]><!-- <a> -- > --><?p <a>?><a/>"),
            "<a/>");
  EXPECT_EQ(pieces("<!---->x"), "x");
}

TEST(XmlReader, FindsAttributes) {
  const XmlPiece piece{.attributes = " xml:lang = \"e&amp;n\"\tsrclang='de' empty=''"};
  EXPECT_EQ(attribute_of(piece, "lang"), "e&n");
  EXPECT_EQ(attribute_of(piece, "srclang"), "de");
  EXPECT_EQ(attribute_of(piece, "empty"), "");
  EXPECT_EQ(attribute_of(piece, "xml"), "");
  EXPECT_EQ(attribute_of({.attributes = " lang=en"}, "lang"), "");
  EXPECT_EQ(attribute_of({.attributes = " lang='en"}, "lang"), "");
}

TEST(XmlReader, RefusesWhatDoesNotEnd) {
  for (const std::string xml : {"<a", "<a x='>", "<!-- x", "<![CDATA[x]]", "<?p", "<!DOCTYPE a ["})
    expect_error<DataError>([&] { pieces(xml); }, {"x.xml", "expected XML"});
  expect_error<DataError>([] { pieces("<![IGNORE[x]]>"); }, {"x.xml", "<![IGNORE"});
}

TEST(XmlReader, RefusesOtherEncodings) {
  expect_error<DataError>([] { pieces("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a/>"); },
                          {"x.xml", "'iso-8859-1'", "UTF-8 or UTF-16", "iconv"});
  EXPECT_EQ(pieces(utf16("<?xml version='1.0' encoding='UTF-16'?><a/>", true)), "<a/>");
}

}  // namespace
}  // namespace attend
