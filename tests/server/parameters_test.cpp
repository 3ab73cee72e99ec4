#include "attend/server/parameters.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace attend {
namespace {

const std::vector<RouteField> kFields{
    {"q", FieldType::texts, "texts", true}, {"n", FieldType::whole, "a number"},
    {"p", FieldType::number, "a number"},   {"on", FieldType::flag, "a flag"},
    {"name", FieldType::text, "a text"},    {"file", FieldType::file, "a file"},
    fixed_field("best_of", "[1]"),          fixed_field("tool_choice", R"(["none", "auto"])"),
    fixed_field("ignore_eos", "[false]"),   ignored_field("user")};

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
  const Parameters p = read(R"({"q": ["a", "b"], "n": 3, "p": 0.5, "on": true, "name": "x"})");
  EXPECT_EQ(p.texts("q"), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(p.is_list("q"));
  EXPECT_EQ(p.whole("n", 0, 10, 7), 3);
  EXPECT_EQ(p.number("p", 0, 1, 1), 0.5);
  EXPECT_TRUE(p.flag("on", false));
  EXPECT_EQ(p.text("name"), "x");
}

TEST(Parameters, ReadsFormsByTheTypesOfTheRoute) {
  const Parameters p =
      read("q=1&n=3&p=0.5&on=1&name=7", "application/x-www-form-urlencoded; charset=utf-8");
  EXPECT_EQ(p.texts("q"), std::vector<std::string>{"1"});
  EXPECT_FALSE(p.is_list("q"));
  EXPECT_EQ(p.whole("n", 0, 10, 7), 3);
  EXPECT_EQ(p.number("p", 0, 1, 1), 0.5);
  EXPECT_TRUE(p.flag("on", false));
  EXPECT_EQ(p.text("name"), "7");
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

TEST(Parameters, TakeWholeNumbersInAnyForm) {
  EXPECT_EQ(read(R"({"q": "a", "n": 3.0})").whole("n", 0, 10, 7), 3);
  EXPECT_EQ(read(R"({"q": "a", "n": 1e2})").whole("n", 0, 100, 7), 100);
  EXPECT_EQ(read("q=a&n=3.0", "application/x-www-form-urlencoded").whole("n", 0, 10, 7), 3);
  for (const char* wrong : {"3.5", "1e300", "18446744073709551615", "\"3\"", "true", "[3]"}) {
    const Parameters p = read(fmt::format(R"({{"q": "a", "n": {}}})", wrong));
    EXPECT_TRUE(message_of([&] {
                  p.whole("n", -1, 1 << 20, 7);
                }).starts_with("n: expected a whole number from -1 to 1048576, got"))
        << wrong;
  }
}

TEST(Parameters, TakeAnySeedOf64Bits) {
  for (const auto& [text, seed] : {std::pair<const char*, std::uint64_t>{"7", 7},
                                   {"7.0", 7},
                                   {"-1", ~std::uint64_t{0}},
                                   {"18446744073709551615", ~std::uint64_t{0}},
                                   {"9223372036854775808", std::uint64_t{1} << 63},
                                   {"-9223372036854775808", std::uint64_t{1} << 63}}) {
    EXPECT_EQ(read(fmt::format(R"({{"q": "a", "n": {}}})", text)).seed("n", 1), seed) << text;
    EXPECT_EQ(read(fmt::format("q=a&n={}", text), "application/x-www-form-urlencoded").seed("n", 1),
              seed)
        << text;
  }
  EXPECT_EQ(read(R"({"q": "a", "n": null})").seed("n", 5), 5u);
  for (const char* wrong : {"0.5", "18446744073709551616", "-1e19", "\"x\""})
    EXPECT_NE(
        message_of([&] { read(fmt::format(R"({{"q": "a", "n": {}}})", wrong)).seed("n", 1); }),
        "none")
        << wrong;
}

TEST(Parameters, RefuseUnknownNamesThatSaySomething) {
  EXPECT_EQ(message_of([] { read(R"({"q": "a", "nam": 1})"); }),
            "there is no parameter 'nam'; did you mean name?");
  EXPECT_NE(message_of([] { read("q=a&other=1", "application/x-www-form-urlencoded"); }), "none");
  EXPECT_NE(message_of([] { read(R"({"q": "a"})", "application/json", "other=1"); }), "none");
  EXPECT_NE(message_of([] { read("{\"q\": \"a\", \"" + std::string(1 << 20, 'x') + "\": 1}"); }),
            "none");
  EXPECT_EQ(message_of([] { read(R"({"q": "a", "other": null, "api_key": "secret"})"); }), "none");
}

TEST(Parameters, OfGetMayHaveAnyName) {
  HttpRequest request{.method = "GET", .path = "/", .query = "cache=1&q=a"};
  EXPECT_EQ(Parameters(request, kFields).text("q"), "a");
}

TEST(Parameters, TakeWhatIsFixedOnlyWithItsValues) {
  for (const char* taken :
       {R"("best_of": 1)", R"("best_of": 1.0)", R"("best_of": null)", R"("tool_choice": "auto")",
        R"("ignore_eos": false)", R"("user": {"any": ["thing"]})"})
    EXPECT_EQ(message_of([&] { read(fmt::format(R"({{"q": "a", {}}})", taken)); }), "none");
  EXPECT_EQ(message_of([] { read(R"({"q": "a", "best_of": 2})"); }),
            "best_of: expected 1, as nothing else is supported, got '2'");
  EXPECT_EQ(message_of([] { read(R"({"q": "a", "tool_choice": "required"})"); }),
            "tool_choice: expected \"none\" or \"auto\", as nothing else is supported, got "
            "'\"required\"'");
  for (const char* taken : {"best_of=1", "ignore_eos=false", "user=x"})
    EXPECT_EQ(message_of(
                  [&] { read(fmt::format("q=a&{}", taken), "application/x-www-form-urlencoded"); }),
              "none")
        << taken;
  EXPECT_NE(message_of([] { read("q=a&best_of=2", "application/x-www-form-urlencoded"); }), "none");
  EXPECT_FALSE(read(R"({"q": "a", "user": "x"})").has("user")) << "takes no memory";
}

TEST(Parameters, KnowTheMembersOfObjects) {
  static constexpr std::string_view kMembers[] = {"a", "b"};
  const auto members = [](const std::string& value) {
    return message_of([&] { read("{\"q\": \"a\", \"n\": " + value + "}").object("n", kMembers); });
  };
  EXPECT_EQ(members(R"({"a": 1, "c": null})"), "none");
  EXPECT_EQ(members(R"({"c": 1})"), "n: expected no member but a, b, got 'c'");
  EXPECT_EQ(members("3"), "n: expected an object, got '3'");
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
