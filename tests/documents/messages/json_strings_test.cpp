#include "attend/documents/messages/json_strings.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

std::vector<std::string> strings_of(const std::string& json) {
  std::vector<std::string> all;
  find_json_strings(
      "a.json", json, [](std::string_view) { return false; },
      [&](const JsonString& string) { all.push_back(string.text); });
  return all;
}

TEST(JsonStrings, AreAllValuesAndNoNames) {
  EXPECT_EQ(strings_of(R"( {"a": "one", "b": ["two", {"c": "three", "a": "four"}], "d": [], )"
                       R"("e": {}, "f": [-1.5e+3, 0, true, false, null]} )"),
            (std::vector<std::string>{"one", "two", "three", "four"}));
  EXPECT_EQ(strings_of("\xEF\xBB\xBF\"one\""), std::vector<std::string>{"one"});
}

TEST(JsonStrings, KnowTheirMembers) {
  std::string members;
  find_json_strings(
      "a.json", R"({"a": "x", "b": ["y", {"c": "z"}, "w"]})",
      [](std::string_view) { return false; },
      [&](const JsonString& string) { members += string.member + ";"; });
  EXPECT_EQ(members, "a;;c;;");
}

TEST(JsonStrings, HaveNoEscapes) {
  EXPECT_EQ(strings_of(R"("a\n\"\\\/\b\f\r\t\u00e9\u20AC\ud83d\ude00")"),
            std::vector<std::string>{"a\n\"\\/\b\f\r\té€😀"});
}

TEST(JsonStrings, OfWhatIsNoJsonAreRefusedWithTheLine) {
  for (const char* json : {"",
                           "{",
                           "[1,]",
                           "[1 2]",
                           "{\"a\" 1}",
                           "{\"a\":}",
                           "{\"a\":1,}",
                           "{a:1}",
                           "[01]",
                           "[1.]",
                           "[1e]",
                           "[-]",
                           "[tru]",
                           "\"a",
                           "\"\\x\"",
                           "\"\\u12\"",
                           "\"\\ud800\"",
                           "\"\\udc00\"",
                           "\"\\ud800\\u0041\"",
                           "\"a\nb\"",
                           "[]]",
                           "[] x",
                           "{]",
                           "[}",
                           "\"\xff\"",
                           "\"\\",
                           "nul"})
    EXPECT_THROW(strings_of(json), DataError) << json;
  expect_error<DataError>([] { strings_of("[\n1,\n]"); },
                          {"'a.json':3: not JSON: expected a value, found ']'"});
  expect_error<DataError>([] { strings_of("[\n\"\xff\"]"); }, {"'a.json':2: expected UTF-8"});
}

TEST(JsonStrings, AtAnyDepthTakeLinearTime) {
  const std::size_t depth = 1'000'000;
  EXPECT_EQ(strings_of(std::string(depth, '[') + "\"a\"" + std::string(depth, ']')).size(), 1u);
  EXPECT_THROW(strings_of(std::string(depth, '[')), DataError);
}

TEST(JsonStrings, AreEscapedWhereNeeded) {
  EXPECT_EQ(json_escaped("a\n\"\\/\x01é😀", false), "a\\n\\\"\\\\/\\u0001é😀");
  EXPECT_EQ(json_escaped("é€😀\x7f", true), "\\u00e9\\u20ac\\ud83d\\ude00\\u007f");
}

}  // namespace
}  // namespace attend
