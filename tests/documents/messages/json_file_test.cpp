#include "attend/documents/messages/json_file.h"

#include <gtest/gtest.h>

#include "documents/in_capitals.h"
#include "documents/strings_of.h"
#include "documents/unchanged.h"

namespace attend {
namespace {

TEST(JsonFile, KeepsAllButItsTexts) {
  EXPECT_EQ(
      file_in_capitals("a.json",
                       "{\r\n\t\"key\" : \"one \\\"two\\\"\" ,\"n\":[1.0e2,\"three\"],"
                       "\r\n\"key\":\"v\\u00e9\"}\n"),
      "{\r\n\t\"key\" : \"ONE \\\"TWO\\\"\" ,\"n\":[1.0e2,\"THREE\"],\r\n\"key\":\"V\\u00e9\"}\n");
}

TEST(JsonFile, IsTheSameIfItsTextsAre) {
  for (const char* json :
       {"{\"a\": \"x\\u0041 \\/ \\u20ac\\n\"}", "[]", "\"a. b\"", " [\"\", \"1\"] "})
    EXPECT_EQ(unchanged("a.json", json), json);
}

TEST(JsonFile, HasEscapesOfLettersOnlyIfItHadThem) {
  EXPECT_EQ(file_in_capitals("a.json", "[\"a \\u00e9\"]"), "[\"A \\u00e9\"]");
  EXPECT_EQ(file_in_capitals("a.json", "[\"a \\u00e9\", \"b é\"]"), "[\"A é\", \"B é\"]");
}

TEST(JsonFile, WithoutLettersIsNotTranslated) {
  EXPECT_TRUE(read_json_strings("a.json", "[\"1.0\", \"\", \"->\"]")->texts().empty());
}

TEST(JsonFile, OfFlutterKeepsWhatSaysSomethingOfMessages) {
  const std::string arb =
      "{\"@@locale\": \"en\", \"hi\": \"hello\", \"@hi\": {\"description\": \"a\", \"b\": [\"c\", "
      "{\"d\": \"e\"}]}, \"bye\": \"bye\", \"all\": {\"@x\": \"y\", \"z\": \"z\"}}";
  EXPECT_EQ(strings_of(read_arb("a.arb", arb, {})->texts()),
            (std::vector<std::string>{"hello", "bye", "z"}));
  const std::string german = unchanged("a.arb", arb, {.target = "de-AT"});
  EXPECT_EQ(german, "{\"@@locale\": \"de_AT\"" + arb.substr(17));
  EXPECT_EQ(read_json_strings("a.json", arb)->texts().size(), 8u);
}

}  // namespace
}  // namespace attend
