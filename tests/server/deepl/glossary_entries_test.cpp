#include "attend/server/deepl/glossary_entries.h"

#include <gtest/gtest.h>

#include "attend/server/http/message.h"

namespace attend {
namespace {

std::string refusal_of(std::string_view text, std::string_view format) {
  try {
    read_glossary_entries(text, format);
    return "";
  } catch (const HttpError& error) {
    return error.status == 400 ? error.message : "another status";
  }
}

TEST(GlossaryEntries, AreReadFromLines) {
  const GlossaryEntries expected{{"dog", "Hund"}, {"\"big\" cat", "Katze, die"}};
  EXPECT_EQ(read_glossary_entries("dog\tHund\r\n\n \"big\" cat\t Katze, die ", "tsv"), expected);
  EXPECT_EQ(read_glossary_entries("dog,Hund,EN,DE\n\"\"\"big\"\" cat\",\"Katze, die\"\n", "csv"),
            expected);
  EXPECT_EQ(tsv_of(expected), "dog\tHund\n\"big\" cat\tKatze, die\n");
}

TEST(GlossaryEntries, AreRefusedByTheirPlace) {
  EXPECT_NE(refusal_of("a\tb\nc\n", "tsv").find("entry 2"), std::string::npos);
  EXPECT_NE(refusal_of("a\tb\tc\n", "tsv").find("3 columns"), std::string::npos);
  EXPECT_NE(refusal_of("a\tb\na\tc\n", "tsv").find("term of entry 1"), std::string::npos);
  for (const char* text :
       {"", "\n", "a\t\n", "\tb\n", "a\t \n", "a\t\x01\n", "a\t\xff\n", "|\tb\n"})
    EXPECT_NE(refusal_of(text, "tsv"), "") << text;
  EXPECT_NE(refusal_of("a,\"b", "csv"), "");
  EXPECT_NE(refusal_of("a\tb", "xlsx").find("xlsx"), std::string::npos);
}

TEST(GlossaryEntries, TakeThePlaceOfOlderOnes) {
  GlossaryEntries entries{{"a", "1"}, {"b", "2"}};
  merge_entries(entries, {{"c", "3"}, {"b", "4"}});
  EXPECT_EQ(entries, (GlossaryEntries{{"a", "1"}, {"b", "4"}, {"c", "3"}}));
}

}  // namespace
}  // namespace attend
