#include "attend/documents/markup/xml.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

TEST(Xml, TakesWhatIsWellFormed) {
  for (const char* xml :
       {"<a/>",
        "<?xml version=\"1.0\"?>\n<!-- <b> --><a x='1' y=\"&lt;'\"><b ></b >&#65;&#xe4;</a>\n",
        "<!DOCTYPE a><a><![CDATA[ < & ]]></a>", "<!DOCTYPE a [<!ENTITY b 'c'>] ><a/>",
        "\xEF\xBB\xBF<a>ä</a>"})
    EXPECT_NO_THROW(require_well_formed(xml, "x")) << xml;
}

TEST(Xml, RefusesWhatIsNotWellFormedAndSaysWhere) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "byte 0 is not well-formed XML: no element"},
      {"<a>", "<a> has no end tag"},
      {"<a></b>", "byte 3 is not well-formed XML: </b>"},
      {"<a><b></a></b>", "</a>"},
      {"<a/><a/>", "a second element"},
      {"<a/>x", "text outside of elements"},
      {"<a>&nbsp;</a>", "an escape that XML does not have"},
      {"<a>a & b</a>", "an escape that XML does not have"},
      {"<a>\x01</a>", "a control character"},
      {"<a x=1/>", "an attribute without quotes"},
      {"<a x='<'/>", "< in an attribute"},
      {"<a x='1'y='2'/>", "no space before an attribute"},
      {"<a x/>", "expected ="},
      {"<a><!-- </a>", "<!-- without -->"},
      {"<a>]]></a>", "]]> in text"},
      {"<a>\xff</a>", "byte 3 is not well-formed XML: not UTF-8"},
      {"<a", "expected >"},
      {"<a x='", "expected >"},
      {"<>", "no name"}};
  for (const auto& [xml, message] : cases)
    expect_error<DataError>([&, text = xml] { require_well_formed(text, "part"); },
                            {"part: ", message});
}

std::string utf16(std::u16string_view text, bool big_endian) {
  std::string out;
  for (const char16_t c : u"\ufeff" + std::u16string(text)) {
    const char high = static_cast<char>(c >> 8), low = static_cast<char>(c & 0xff);
    out += big_endian ? high : low;
    out += big_endian ? low : high;
  }
  return out;
}

TEST(Xml, OfManyElementsWithinOneAnotherIsRefused) {
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += "<a>";
  expect_error<DataError>([&] { require_well_formed(deep, "part"); }, {"too many elements"});
}

TEST(Xml, IsReadInUtf8AndUtf16) {
  for (const bool big_endian : {false, true}) {
    EXPECT_EQ(
        xml_in_utf8(utf16(u"<?xml version='1.0' encoding='UTF-16'?><a>ä\U0001F600</a>", big_endian),
                    "x"),
        "<?xml version='1.0' encoding='UTF-8'?><a>ä\U0001F600</a>");
    EXPECT_EQ(xml_in_utf8(utf16(u"<a/>", big_endian), "x"), "<a/>");
  }
  EXPECT_EQ(xml_in_utf8("<?xml version=\"1.0\" encoding=\"utf-8\"?><a/>", "x"),
            "<?xml version=\"1.0\" encoding=\"utf-8\"?><a/>");
}

TEST(Xml, OfOtherEncodingsIsRefused) {
  expect_error<DataError>(
      [] { xml_in_utf8("<?xml version='1.0' encoding='ISO-8859-1'?><a/>", "part"); },
      {"part: expected UTF-8 or UTF-16, got iso-8859-1"});
  for (const char* bytes : {"\xFF\xFE<", "\xFF\xFE\x00\xD8", "\xFE\xFF\xD8\x00\x00\x41"})
    expect_error<DataError>(
        [&] { xml_in_utf8(std::string_view(bytes, 4 - (bytes[2] == '<')), "part"); },
        {"part: not UTF-16"});
}

TEST(Xml, HasTheCharactersOfHtmlWithADocumentType) {
  require_well_formed("<!DOCTYPE html><p>a&nbsp;b</p>", "x");
  EXPECT_THROW(require_well_formed("<p>a&nbsp;b</p>", "x"), DataError);
  EXPECT_THROW(require_well_formed("<!DOCTYPE html><p>&unknown;</p>", "x"), DataError);
}

}  // namespace
}  // namespace attend
