#include "attend/server/parameters.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

const std::vector<RouteField> kFields{{"q", FieldType::texts, "texts", true},
                                      {"n", FieldType::whole, "a number"},
                                      {"p", FieldType::number, "a number"},
                                      {"on", FieldType::flag, "a flag"},
                                      {"name", FieldType::text, "a text"}};

Parameters read(const std::string& body, const std::string& type = "application/json",
                const std::string& query = "") {
  HttpRequest request{.method = "POST", .path = "/", .query = query, .body = body};
  request.headers.add("content-type", type);
  return Parameters(request, kFields);
}

std::string message_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const HttpError& error) {
    return error.message;
  }
  return "none";
}

TEST(Parameters, ReadsJson) {
  const Parameters p =
      read(R"({"q": ["a", "b"], "n": 3, "p": 0.5, "on": true, "name": "x", "other": {}})");
  EXPECT_EQ(p.texts("q"), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(p.is_list("q"));
  EXPECT_EQ(p.whole("n", 0, 10, 7), 3);
  EXPECT_EQ(p.number("p", 0, 1, 1), 0.5);
  EXPECT_TRUE(p.flag("on", false));
  EXPECT_EQ(p.text("name"), "x");
}

TEST(Parameters, ReadsFormsByTheTypesOfTheRoute) {
  const Parameters p =
      read("q=1&n=3&p=0.5&on=1&name=7&other=x", "application/x-www-form-urlencoded; charset=utf-8");
  EXPECT_EQ(p.texts("q"), std::vector<std::string>{"1"});
  EXPECT_FALSE(p.is_list("q"));
  EXPECT_EQ(p.whole("n", 0, 10, 7), 3);
  EXPECT_EQ(p.number("p", 0, 1, 1), 0.5);
  EXPECT_TRUE(p.flag("on", false));
  EXPECT_EQ(p.text("name"), "7");
  EXPECT_FALSE(p.has("other"));
  EXPECT_TRUE(read("q=a&q=b", "application/x-www-form-urlencoded").is_list("q"));
}

TEST(Parameters, ReadsPartsAndTheQuery) {
  const Parameters p = read(
      "--b\r\nContent-Disposition: form-data; name=q\r\n\r\ntext\r\n--b\r\n"
      "Content-Disposition: form-data; name=file; filename=a.txt\r\n\r\ncontent\r\n--b--",
      "multipart/form-data; boundary=b", "n=4");
  EXPECT_EQ(p.texts("q"), std::vector<std::string>{"text"});
  EXPECT_EQ(p.whole("n", 0, 10, 7), 4);
  ASSERT_NE(p.file(), nullptr);
  EXPECT_EQ(p.file()->name, "a.txt");
  EXPECT_EQ(p.file()->content, "content");
}

TEST(Parameters, AreAllAbsentAfterwards) {
  Parameters p = read(
      "--b\r\nContent-Disposition: form-data; name=q\r\n\r\ntext\r\n--b\r\n"
      "Content-Disposition: form-data; name=file; filename=a.txt\r\n\r\ncontent\r\n--b--",
      "multipart/form-data; boundary=b", "n=4");
  p.clear();
  EXPECT_FALSE(p.has("q"));
  EXPECT_EQ(p.whole("n", 0, 10, 7), 7);
  EXPECT_EQ(p.file(), nullptr);
}

TEST(Parameters, TakesJsonThatCurlCallsAForm) {
  EXPECT_EQ(read(R"({"q": "a"})", "application/x-www-form-urlencoded").texts("q").front(), "a");
}

TEST(Parameters, AbsentAndNullMeanTheDefault) {
  const Parameters p = read(R"({"q": "a", "n": null})");
  EXPECT_EQ(p.whole("n", 0, 10, 7), 7);
  EXPECT_EQ(p.text("name", "none"), "none");
  EXPECT_EQ(p.number("p", 0, 1, 0.25), 0.25);
  EXPECT_TRUE(p.flag("on", true));
}

TEST(Parameters, MessagesSayWhatWasExpected) {
  const Parameters p = read(R"({"q": [1], "n": 11, "p": "x", "on": 1, "name": ["a"]})");
  EXPECT_EQ(message_of([&] { p.texts("q"); }), "q: expected strings, got '1'");
  EXPECT_EQ(message_of([&] { p.whole("n", 0, 10, 7); }),
            "n: expected a whole number from 0 to 10, got '11'");
  EXPECT_EQ(message_of([&] { p.number("p", 0, 1, 0); }),
            "p: expected a number from 0 to 1, got '\"x\"'");
  EXPECT_EQ(message_of([&] { p.flag("on", true); }), "on: expected true or false, got '1'");
  EXPECT_EQ(message_of([&] { p.text("name"); }), "name: expected a string, got '[\"a\"]'");
  EXPECT_EQ(message_of([] { read("{}"); }), "q is required");
  EXPECT_EQ(message_of([] { read("[]"); }), "body: expected a JSON object");
}

TEST(Parameters, RefusesBodiesOfNoKnownKind) {
  EXPECT_NE(message_of([] { read("{", "application/json"); }), "none");
  EXPECT_NE(message_of([] { read(std::string(1000, '['), "application/json"); }), "none");
  EXPECT_NE(message_of([] { read("<q>", "text/xml"); }), "none");
  EXPECT_NE(message_of([] { read("q=%ff", "application/x-www-form-urlencoded"); }), "none");
}

}  // namespace
}  // namespace attend
