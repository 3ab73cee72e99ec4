#include "attend/documents/messages/po_strings.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

TEST(PoStrings, AreReadWithTheirEscapes) {
  std::string text;
  EXPECT_EQ(read_po_string(R"("a\n\t\"\\\101\x41\a" rest)", text), 21u);
  EXPECT_EQ(text, "a\n\t\"\\AA\a");
  for (const char* wrong : {"\"a", "\"a\n\"", "\"\\q\"", "\"\\", "\"\\x\"", "\""})
    EXPECT_FALSE(read_po_string(wrong, text)) << wrong;
}

TEST(PoStrings, AreWrittenAsMsgcatDoes) {
  EXPECT_EQ(written_po_string("msgstr", "", {}), "msgstr \"\"");
  EXPECT_EQ(written_po_string("msgstr", "a \"b\"\\\x01\n", {}),
            "msgstr \"a \\\"b\\\"\\\\\\001\\n\"");
  EXPECT_EQ(written_po_string("msgstr", "a\nb", {}), "msgstr \"\"\n\"a\\n\"\n\"b\"");
  EXPECT_EQ(written_po_string("msgstr", "\n\n a\n", {.line_end = "\r\n"}),
            "msgstr \"\"\r\n\"\\n\"\r\n\"\\n\"\r\n\" a\\n\"");
  const std::string ten = "aaaaaaaaa ", sixty = ten + ten + ten + ten + ten + ten;
  EXPECT_EQ(written_po_string("msgstr", sixty + ten, {}), "msgstr \"" + sixty + ten + "\"");
  EXPECT_EQ(written_po_string("msgstr", sixty + ten + "b", {}),
            "msgstr \"\"\n\"" + sixty + ten + "b\"");
  EXPECT_EQ(written_po_string("msgstr", sixty + ten + "bbbbbb cc", {}),
            "msgstr \"\"\n\"" + sixty + ten + "bbbbbb \"\n\"cc\"");
  EXPECT_EQ(written_po_string("msgstr", sixty + ten + "bbbbbbb cc", {}),
            "msgstr \"\"\n\"" + sixty + ten + "\"\n\"bbbbbbb cc\"");
  EXPECT_EQ(written_po_string("msgstr", sixty + sixty, {.width = 0}),
            "msgstr \"" + sixty + sixty + "\"");
  std::string wide;
  for (int i = 0; i < 40; ++i) wide += "犬";
  EXPECT_EQ(written_po_string("msgstr", wide, {}),
            "msgstr \"\"\n\"" + wide.substr(0, 3 * 38) + "\"\n\"犬犬\"");
}

}  // namespace
}  // namespace attend
