#include "attend/text/chat_template/parsing/string_literal.h"

#include <gtest/gtest.h>

#include <string>

namespace attend::chat_template {
namespace {

using namespace std::string_literals;

// What Python's interpreter gives for the same literals.
TEST(StringLiteral, ReadsTheEscapesOfPython) {
  const auto text = [](std::string_view content) {
    const StringLiteral literal = read_string_literal(content);
    EXPECT_EQ(literal.fault + literal.refusal, "") << content;
    return literal.text;
  };
  EXPECT_EQ(text(R"(a\n\t\\\'\"b)"), "a\n\t\\'\"b");
  EXPECT_EQ(text(R"(\a\b\f\r\v)"), "\a\b\f\r\v");
  EXPECT_EQ(text(R"(\x41\u00e4\U0001F600)"), "Aä\U0001F600");
  EXPECT_EQ(text(R"(\101\7\400\0008)"), "A\aĀ\0"s + "8");
  EXPECT_EQ(text("a\\\nb"), "ab") << "a line that goes on";
  EXPECT_EQ(text(R"(\d\q\ )"), R"(\d\q\ )") << "unknown escapes stay";
  EXPECT_EQ(text(""), "");
}

TEST(StringLiteral, SaysWhyJinjaDoesNotReadIt) {
  for (const char* content : {R"(\x4)", R"(\x)", R"(\xg0)", R"(\u00e)", R"(\U0001F60)"})
    EXPECT_NE(read_string_literal(content).fault.find("digits"), std::string::npos) << content;
  EXPECT_NE(read_string_literal(R"(\U00110000)").fault, "");
}

TEST(StringLiteral, RefusesWhatItDoesNotRead) {
  EXPECT_NE(read_string_literal(R"(\N{DIGIT ONE})").refusal, "");
  EXPECT_NE(read_string_literal(R"(\ud800)").refusal, "");
}

TEST(StringLiteral, EscapesACharacterAfterABackslash) {
  EXPECT_EQ(read_string_literal("\\ä").text, "\\xe4");
  EXPECT_EQ(read_string_literal("\\€").text, "\\u20ac");
  EXPECT_EQ(read_string_literal("\\\U0001F600").text, "\\U0001f600");
}

}  // namespace
}  // namespace attend::chat_template
