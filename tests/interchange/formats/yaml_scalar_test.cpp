#include "attend/interchange/formats/yaml_scalar.h"

#include <gtest/gtest.h>

#include <string>

#include "attend/error.h"

namespace attend {
namespace {

using Json = nlohmann::json;

Json scalar_of(std::string_view line) {
  YamlLine yaml(line, "config.yml:1");
  Json value = yaml.scalar(YamlLine::Ends::line);
  yaml.expect_end();
  return value;
}

Json list_of(std::string_view line) {
  YamlLine yaml(line, "config.yml:1");
  EXPECT_TRUE(yaml.accept('['));
  Json list = yaml.flow_list();
  yaml.expect_end();
  return list;
}

TEST(YamlScalar, HasTheTypesOfTheCoreSchema) {
  EXPECT_EQ(scalar_of("12"), 12);
  EXPECT_EQ(scalar_of("+12"), 12);
  EXPECT_EQ(scalar_of("-0.5"), -0.5);
  EXPECT_EQ(scalar_of(".5"), 0.5);
  EXPECT_EQ(scalar_of("1e-9"), 1e-9);
  EXPECT_EQ(scalar_of("true"), true);
  EXPECT_EQ(scalar_of("~"), nullptr);
  EXPECT_EQ(scalar_of("  # nothing"), nullptr);
}

TEST(YamlScalar, LeavesWordsThatLookLikeNumbers) {
  for (const char* word :
       {"1.2.3", "1e999", "0x10", "nan", "inf", "+-5", "--5", "yes", "True", "1_000", "-", "e5"}) {
    if (std::string_view(word) == "-") continue;  // a list
    EXPECT_EQ(scalar_of(word), word);
  }
}

TEST(YamlScalar, EndsAtACommentAfterABlank) {
  EXPECT_EQ(scalar_of("a b  # c"), "a b");
  EXPECT_EQ(scalar_of("a#b"), "a#b");
  EXPECT_EQ(scalar_of("'a # b' # c"), "a # b");
}

TEST(YamlScalar, ReadsQuotesAndEscapes) {
  EXPECT_EQ(scalar_of("'it''s'"), "it's");
  EXPECT_EQ(scalar_of("'12'"), "12") << "text, not a number";
  EXPECT_EQ(scalar_of(R"("a\tb\\\"\x41\u00e4\U0001F600\0")"),
            std::string("a\tb\\\"A\u00e4\U0001F600\0", 13));
  for (const char* line : {"'open", "\"open", "\"a\\", R"("\q")", R"("\x4")", R"("\ud800")",
                           R"("\U00110000")", R"("\u12")", "'a' b"})
    EXPECT_THROW(scalar_of(line), DataError) << line;
}

TEST(YamlScalar, RefusesWhatMeansSomethingElse) {
  for (const char* line : {"&anchor", "*alias", "!tag", "| ", "> ", "%", "@", "`", "{a: b}", "]",
                           ",", "- a", "? a", ": a", "a: b", "a:"})
    EXPECT_THROW(scalar_of(line), DataError) << line;
  EXPECT_EQ(scalar_of("-a"), "-a");
  EXPECT_EQ(scalar_of("http://a:8"), "http://a:8");
}

TEST(YamlScalar, ReadsListsOfOneLine) {
  EXPECT_EQ(list_of("[]"), Json::array());
  EXPECT_EQ(list_of("[ a, 1 , 'b, c' ] # d"), Json({"a", 1, "b, c"}));
  EXPECT_EQ(list_of("[a, b,]"), Json({"a", "b"}));
  for (const char* line : {"[a", "[a,", "[,a]", "[a,,b]", "[a] b", "[[a]]", "[{a: b}]", "[a b: c]"})
    EXPECT_THROW(list_of(line), DataError) << line;
}

TEST(YamlScalar, NamesFileAndLine) {
  try {
    scalar_of("*alias");
    FAIL();
  } catch (const DataError& error) {
    EXPECT_TRUE(std::string_view(error.what()).starts_with("config.yml:1: ")) << error.what();
  }
}

}  // namespace
}  // namespace attend
