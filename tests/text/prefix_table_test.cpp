#include "attend/text/prefix_table.h"

#include <gtest/gtest.h>

#include <string>

namespace attend::detail {
namespace {

void expect_match(const PrefixTable& table, std::string_view text, std::int32_t value,
                  std::size_t length) {
  const PrefixTable::Match match = table.longest(text);
  EXPECT_EQ(match.value, value) << text;
  EXPECT_EQ(match.length, length) << text;
}

TEST(PrefixTable, FindsTheLongestOfSeveral) {
  const PrefixTable table({{"abc", 3}, {"a", 1}, {"b", 7}, {"abcde", 5}});
  expect_match(table, "a", 1, 1);
  expect_match(table, "ab", 1, 1);
  expect_match(table, "abcd", 3, 3);
  expect_match(table, "abcdef", 5, 5);
  expect_match(table, "ba", 7, 1);
}

TEST(PrefixTable, FindsNothingWhereNothingBegins) {
  const PrefixTable table({{"bc", 0}});
  for (const char* text : {"", "a", "b", "cb", "bd"}) expect_match(table, text, -1, 0);
  expect_match(PrefixTable({}), "a", -1, 0);
}

TEST(PrefixTable, TellsAllBytesApart) {
  std::vector<std::pair<std::string, std::int32_t>> entries;
  for (int byte = 0; byte < 256; ++byte)
    entries.emplace_back(std::string(2, static_cast<char>(byte)), byte);
  const PrefixTable table(entries);
  for (int byte = 0; byte < 256; ++byte)
    expect_match(table, std::string(3, static_cast<char>(byte)), byte, 2);
  expect_match(table, std::string_view("\x00\xFF", 2), -1, 0);
}

}  // namespace
}  // namespace attend::detail
