#include "attend/documents/messages/po_entries.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

std::vector<PoEntry> entries_of(const std::string& po) {
  std::vector<PoEntry> all;
  find_po_entries("a.po", po, [&](PoEntry entry) { all.push_back(std::move(entry)); });
  return all;
}

TEST(PoEntries, HaveStringsOnSeveralLines) {
  const auto entries = entries_of(
      "# x\n#: a.c:1\n#, c-format\nmsgctxt \"menu\"\nmsgid \"one\"  \"two\"\n\t\"three\\n\"\n"
      "msgid_plural \"many\"\nmsgstr[0] \"\"\nmsgstr[1] \"viele\"\nmsgid\"next\"\nmsgstr \"\"");
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].context->text, "menu");
  EXPECT_EQ(entries[0].id->text, "onetwothree\n");
  EXPECT_EQ(entries[0].plural->text, "many");
  ASSERT_EQ(entries[0].translations.size(), 2u);
  EXPECT_EQ(entries[0].translations[1].text, "viele");
  EXPECT_EQ(entries[0].flags, 15u);
  EXPECT_FALSE(entries[0].is_fuzzy);
  EXPECT_EQ(entries[1].id->text, "next");
  EXPECT_EQ(entries[1].flags, 0u);
}

TEST(PoEntries, ThatAreObsoleteAreLeftOut) {
  EXPECT_EQ(entries_of("#~ msgid \"a\"\n#~ msgstr \"b\"\n\n#, fuzzy\n#~| msgid \"x\"\n").size(),
            0u);
  const auto entries =
      entries_of("#, fuzzy\n#| msgid \"x\"\nmsgid \"a\"\nmsgstr \"b\"\n#~ msgid \"c\"");
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_TRUE(entries[0].is_fuzzy);
  EXPECT_EQ(entries[0].begin, 9u) << "flags stand before the former message";
}

TEST(PoEntries, ThatGettextDoesNotReadAreRefusedWithTheLine) {
  for (const char* po :
       {"msgid \"a\"", "msgid \"a\"\n\nmsgid \"b\"\nmsgstr \"\"", "msgstr \"a\"", "\"a\"",
        "msgid a", "msgid", "msgid \"a\" b", "msgctxt \"a\"",
        "msgid \"a\"\nmsgstr \"b\"\nmsgstr \"c\"", "msgid \"a\"\nmsgid_plural \"b\"\nmsgstr \"c\"",
        "msgid \"a\"\nmsgstr[0] \"c\"", "msgid \"a\"\nmsgid_plural \"b\"\nmsgstr[1] \"c\"",
        "msgid \"\\377\"\nmsgstr \"\"", "msgid \"a\nmsgstr \"b\"", "domain \"x\"",
        "msgid \"a\"\nmsgctxt \"b\"\nmsgstr \"c\""})
    EXPECT_THROW(entries_of(po), DataError) << po;
  expect_error<DataError>([] { entries_of("\nmsgid \"a\"\nmsgstr[1] \"b\""); },
                          {"'a.po':3: expected msgstr, found 'msgstr[1]'"});
  expect_error<DataError>(
      [] { entries_of("msgid \"\\q\""); },
      {"'a.po':1: a string without a quotation mark at its end, or a wrong escape"});
}

}  // namespace
}  // namespace attend
