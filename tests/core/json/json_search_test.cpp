#include "attend/core/json/json_search.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

std::string key_of(std::string_view text) { return text_member_of_json(text, "key"); }

TEST(TextMemberOfJson, IsFoundInTheOutermostObject) {
  EXPECT_EQ(key_of(R"({"key": "a"})"), "a");
  EXPECT_EQ(key_of(R"({"b": [{"key": "wrong"}, 1, null], "c": {"key": "wrong"}, "key": "a"})"),
            "a");
  EXPECT_EQ(key_of(R"({"key": "a", "broken)"), "a") << "what follows is not read";
  EXPECT_EQ(key_of(R"({"\u006bey": "a"})"), "a");
}

TEST(TextMemberOfJson, IsEmptyOtherwise) {
  for (const char* text : {"", "{", "[]", R"([{"key": "a"}])", R"("key")", R"({"key": 1})",
                           R"({"key": ["a"]})", R"({"key": {"key": "a"}})", R"({"a": "key"})",
                           R"({"key": null, "b": "a"})", "\xff", R"({"a": nothing, "key": "a"})"})
    EXPECT_EQ(key_of(text), "") << text;
}

TEST(TextMemberOfJson, ReadsAnyDepth) {
  const std::string deep(1'000'000, '[');
  EXPECT_EQ(key_of("{\"a\": " + deep), "");
  EXPECT_EQ(key_of("{\"a\": " + deep + std::string(deep.size(), ']') + ", \"key\": \"b\"}"), "b");
}

}  // namespace
}  // namespace attend
