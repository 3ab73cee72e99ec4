#include "attend/core/json/json.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "attend/error.h"

namespace attend {
namespace {

std::string lists(int depth) {
  const auto count = static_cast<std::size_t>(depth);
  return std::string(count, '[') + std::string(count, ']');
}

std::string objects(int depth) {
  std::string text;
  for (int i = 0; i < depth; ++i) text += "{\"a\":";
  return text + "1" + std::string(static_cast<std::size_t>(depth), '}');
}

std::string data_error(const std::function<void()>& action) {
  try {
    action();
  } catch (const DataError& error) {
    return error.what();
  }
  ADD_FAILURE() << "expected a DataError";
  return "";
}

TEST(ParseJson, ReadsWhatIsDeepButNotTooDeep) {
  EXPECT_EQ(parse_json(lists(kDeepestJson), "file").dump(), lists(kDeepestJson));
  EXPECT_EQ(parse_json(objects(kDeepestJson), "file").dump(), objects(kDeepestJson));
}

TEST(ParseJson, RefusesWhatIsTooDeepHoweverDeep) {
  for (const int depth : {kDeepestJson + 1, 5'000'000}) {
    for (const std::string& text :
         {lists(depth), objects(depth), std::string(static_cast<std::size_t>(depth), '[')}) {
      EXPECT_EQ(data_error([&] { parse_json(text, "file"); }),
                "file: expected at most 64 nested lists and objects, found more");
      EXPECT_FALSE(try_parse_json(text));
    }
  }
}

TEST(ParseForeignJson, RefusesObjectsOfManyMembers) {
  const auto object = [](int members, const std::string& last) {
    std::string text = "{";
    for (int i = 1; i < members; ++i) text += fmt::format("\"{}\":0,", i);
    return text + "\"last\":" + last + "}";
  };
  const std::string most = object(256, object(256, "0")), list = "[" + most + "," + most + "]";
  EXPECT_EQ(parse_foreign_json(list, "body").dump(), list);
  for (const std::string& text : {object(257, "0"), "[[" + object(2, object(257, "0")) + "]]"}) {
    EXPECT_EQ(data_error([&] { parse_foreign_json(text, "body"); }),
              "body: expected objects of at most 256 members, found more");
    EXPECT_NO_THROW(parse_json(text, "file"));
  }
}

TEST(ParseJson, RefusesWhatIsNotJsonWithItsBeginning) {
  EXPECT_EQ(data_error([] { parse_json("{\"a\":\x1b", "file"); }),
            "file: expected JSON, found '{\"a\":\\x1b'");
  EXPECT_FALSE(try_parse_json(""));
  EXPECT_FALSE(try_parse_json("{} {}"));
}

TEST(ParseJson, LooksBehindAZeroByte) {
  EXPECT_FALSE(try_parse_json(std::string_view("{}\0 and more", 11)));
  EXPECT_FALSE(try_parse_json(std::string_view("{}\0", 3)));
}

TEST(JsonIds, TakesWholeNumbersOfThirtyTwoBitsOnly) {
  EXPECT_EQ(json_ids(parse_json("[0, 2147483647]", "file"), "file"),
            (std::vector<std::int32_t>{0, 2147483647}));
  for (const char* text : {"[2147483648]", "[4294967297]", "[1e300]", "[1.0]", "[-1]", "[\"1\"]",
                           "[null]", "{\"a\": 1}", "7"})
    EXPECT_TRUE(data_error([&] {
                  json_ids(parse_json(text, "file"), "file");
                }).starts_with("file: expected"))
        << text;
}

TEST(JsonFloat, TakesNumbersThatAFloatCanHoldOnly) {
  EXPECT_EQ(json_float(parse_json("-3.5e37", "file"), "file"), -3.5e37f);
  EXPECT_EQ(json_float(parse_json("-3", "file"), "file"), -3.0f);
  for (const char* text : {"1e39", "-1e300", "null", "\"1\"", "[1]"})
    EXPECT_TRUE(data_error([&] {
                  json_float(parse_json(text, "file"), "file");
                }).starts_with("file: expected a number, found"))
        << text;
}

TEST(JsonMember, NamesWhatIsMissing) {
  EXPECT_EQ(json_member(parse_json("{\"a\": 7}", "file"), "a", "file"), 7);
  for (const char* text : {"{\"b\": 7}", "[7]", "7", "null"})
    EXPECT_EQ(data_error([&] { json_member(parse_json(text, "file"), "a", "file"); }),
              "file: expected an object with 'a'")
        << text;
}

}  // namespace
}  // namespace attend
