#include "attend/core/options/toml_nesting.h"

#include <gtest/gtest.h>

#include <string>

namespace attend {
namespace {

std::string repeated(std::string_view part, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += part;
  return text;
}

TEST(TomlNesting, LetsOrdinaryFilesPass) {
  EXPECT_EQ(line_nested_too_deep(""), 0);
  EXPECT_EQ(
      line_nested_too_deep("[model]\nd-model = 512\nname = \"a.b.c\"\nlist = [[1, 2], [3]]\n"), 0);
  EXPECT_EQ(line_nested_too_deep(repeated("a = 0.1\n", 100)), 0) << "dots of many lines";
}

TEST(TomlNesting, CountsThePartsOfAKey) {
  EXPECT_EQ(line_nested_too_deep(repeated("a.", kMostKeyParts - 1) + "a = 1"), 0);
  EXPECT_EQ(line_nested_too_deep("\n\n" + repeated("a.", kMostKeyParts) + "a = 1"), 3);
  EXPECT_EQ(line_nested_too_deep("[" + repeated("a.", kMostKeyParts) + "a]"), 1);
  EXPECT_EQ(line_nested_too_deep(repeated("\"a\" . ", kMostKeyParts) + "a = 1"), 1);
}

TEST(TomlNesting, CountsOpenBrackets) {
  EXPECT_EQ(
      line_nested_too_deep("a = " + repeated("[", kMostBrackets) + repeated("]", kMostBrackets)),
      0);
  EXPECT_EQ(line_nested_too_deep("a = " + repeated("[", kMostBrackets + 1)), 1);
  EXPECT_EQ(line_nested_too_deep("a = " + repeated("[\n", kMostBrackets + 1)), kMostBrackets + 1);
  EXPECT_EQ(line_nested_too_deep("a = " + repeated("{b = ", kMostBrackets + 1)), 1);
}

TEST(TomlNesting, SkipsStringsAndComments) {
  const std::string deep = repeated("[", 100) + repeated("a.", 100);
  for (const std::string& text :
       {"a = \"" + deep + "\"", "a = '" + deep + "'", "# " + deep,
        "a = \"\"\"\n" + deep + "\n\"\"\"", "a = '''\n" + deep + "'''", "a = \"\\\"" + deep + "\"",
        "a = \"\"\"\\\"\"\" " + deep + "\"\"\"", "a = \"\" # " + deep})
    EXPECT_EQ(line_nested_too_deep(text), 0) << text;
}

TEST(TomlNesting, LooksAfterStringsAndComments) {
  const std::string deep = repeated("[", 100);
  EXPECT_EQ(line_nested_too_deep("a = \"b\"\n" + deep), 2);
  EXPECT_EQ(line_nested_too_deep("a = '\\'\n" + deep), 2) << "no escape in a literal string";
  EXPECT_EQ(line_nested_too_deep("a = \"open\n" + deep), 2) << "a string ends with its line";
  EXPECT_EQ(line_nested_too_deep("a = \"\"\"b\"\"\"\"\" = " + deep), 1) << "two quotes are text";
  EXPECT_EQ(line_nested_too_deep("# a\n" + deep), 2);
}

}  // namespace
}  // namespace attend
