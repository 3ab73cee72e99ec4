#include "attend/interchange/formats/yaml.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

using Json = nlohmann::json;

void expect_yaml_error(std::string_view text, std::string_view message) {
  expect_error<DataError>([&] { parse_yaml(text, "decoder.yml"); }, {message});
}

TEST(Yaml, ReadsTheOptionsOfMarian) {
  const Json options = parse_yaml(
      "# Marian configuration file\r\n"
      "---\n"
      "authors: false   # of the model\n"
      "dim-vocabs:\n"
      "  - 58101\n"
      "  - 58101\n"
      "\n"
      "label-smoothing: 0.1\n"
      "clip-norm: 1e-09\n"
      "learn-rate: -3\n"
      "version: v1.7.6 6f36b5d 2019-01-10 18:06:03 +0000\n"
      "transformer-tied-layers:\n"
      "  []\n"
      "devices: [0, 1]\n"
      "relative-paths: ~\n"
      "vocabs:\n"
      "- source.spm\n"
      "- \"target: x.spm\"\n"
      "empty:\n"
      "type: transformer#1\n",
      "decoder.yml");
  EXPECT_EQ(options, Json::parse(R"({"authors": false, "dim-vocabs": [58101, 58101],
      "label-smoothing": 0.1, "clip-norm": 1e-09, "learn-rate": -3,
      "version": "v1.7.6 6f36b5d 2019-01-10 18:06:03 +0000", "transformer-tied-layers": [],
      "devices": [0, 1], "relative-paths": null, "vocabs": ["source.spm", "target: x.spm"],
      "empty": null, "type": "transformer#1"})"));
}

TEST(NestedYaml, ReadsMappingsBelowAKey) {
  const std::string text =
      "data:\n"
      "    corpus_1:\n"
      "        path: a.en   # the first\n"
      "        transforms:\n"
      "\n"
      "    valid:\n"
      "      path: b.en\n"
      "      list:\n"
      "      - 1\n"
      "      - 2\n"
      "      flow: [x, y]\n"
      "  \n"
      "seed: 3\n";
  EXPECT_EQ(parse_nested_yaml(text, "x.yaml"),
            Json::parse(R"({"data": {"corpus_1": {"path": "a.en", "transforms": null},
                "valid": {"path": "b.en", "list": [1, 2], "flow": ["x", "y"]}}, "seed": 3})"));
  expect_yaml_error(text, "decoder.yml, line 2: expected a list below its key");
}

TEST(NestedYaml, RefusesWhatIsNotInItsColumn) {
  const auto expect_nested_error = [](std::string_view text, std::string_view message) {
    expect_error<DataError>([&] { parse_nested_yaml(text, "x.yaml"); }, {message});
  };
  expect_nested_error("a:\n    b: 1\n  c: 2\n", "x.yaml, line 3: expected a key at the beginning");
  expect_nested_error("a:\n  b: 1\n    c: 2\n", "x.yaml, line 3: expected a key at the beginning");
  expect_nested_error("a:\n  b: 1\n  b: 2\n", "x.yaml, line 3: the key 'b' appears twice");
  std::string deep;
  for (int depth = 0; depth < 10; ++depth)
    deep += std::string(static_cast<std::size_t>(depth), ' ') + "a:\n";
  expect_nested_error(deep + std::string(10, ' ') + "a: 1\n",
                      "x.yaml, line 10: expected mappings that are not so deep");
}

TEST(Yaml, ReadsTheVocabulariesOfMarian) {
  const Json vocabulary = parse_yaml(
      "\"</s>\": 0\n"
      "<unk>: 1\n"
      "\"\\x84\": 2\n"
      "\"\\u2581\\\"\\\\\": 3\n"
      "\"\\U0001F600\\t\": 4\n"
      "'it''s': 5\n"
      "? \"a key: alone\"\n"
      ": 6\n"
      "▁über: 7\n"
      "\":\": 8\n"
      "a:b: 9\n"
      "\"#\": 10\n"
      "5: 11\n"
      "true: 12\n"
      "--: 13\n"
      "-: 14\n",
      "vocab.yml");
  EXPECT_EQ(vocabulary.size(), 15u);
  EXPECT_EQ(vocabulary["</s>"], 0);
  EXPECT_EQ(vocabulary["\xc2\x84"], 2);
  EXPECT_EQ(vocabulary["▁\"\\"], 3);
  EXPECT_EQ(vocabulary["😀\t"], 4);
  EXPECT_EQ(vocabulary["it's"], 5);
  EXPECT_EQ(vocabulary["a key: alone"], 6);
  EXPECT_EQ(vocabulary["▁über"], 7);
  EXPECT_EQ(vocabulary[":"], 8);
  EXPECT_EQ(vocabulary["a:b"], 9);
  EXPECT_EQ(vocabulary["#"], 10);
  EXPECT_EQ(vocabulary["5"], 11);
  EXPECT_EQ(vocabulary["true"], 12);
  EXPECT_EQ(vocabulary["--"], 13);
  EXPECT_EQ(vocabulary["-"], 14);
}

TEST(Yaml, TellsNumbersFromText) {
  const Json values = parse_yaml(
      "list: [1, +2, -3.5, .5, 1e3, \"1\", '2', 1-2, 0x10, 1.2.3, nan, none, yes, 3e, "
      "123456789012345678901, -, e5]\n",
      "file");
  EXPECT_EQ(values["list"],
            Json::parse(R"([1, 2, -3.5, 0.5, 1000.0, "1", "2", "1-2", "0x10", "1.2.3", "nan",
                            "none", "yes", "3e", 123456789012345678901, "-", "e5"])"));
}

TEST(Yaml, KnowsEveryEscape) {
  const Json value =
      parse_yaml("a: \"\\0\\a\\b\\t\\n\\v\\f\\r\\e\\ \\/\\N\\_\\L\\P\\x41\"\n", "file");
  EXPECT_EQ(value["a"].get<std::string>(),
            std::string("\0\a\b\t\n\v\f\r\x1b /\xc2\x85\xc2\xa0\xe2\x80\xa8\xe2\x80\xa9"
                        "A",
                        22));
}

TEST(Yaml, RefusesWhatItDoesNotKnowWithItsLine) {
  expect_yaml_error("a: 1\nb: {c: 1}\n", "decoder.yml, line 2: expected a plain value");
  expect_yaml_error("a: &x 1\n", "line 1: expected a plain value or one in quotes, found '&x 1'");
  expect_yaml_error("a: *x\n", "line 1: expected a plain value");
  expect_yaml_error("a: !!str x\n", "line 1: expected a plain value");
  expect_yaml_error("# x\n\na: |\n  text\n", "line 3: expected a plain value");
  expect_yaml_error("a: >\n  text\n", "line 1: expected a plain value");
  expect_yaml_error("a:\n  b: 1\n", "line 2: expected a list below its key");
  expect_yaml_error("a: 1\n  b\n", "line 2: expected a key at the beginning of the line");
  expect_yaml_error("a:\n  - 1\n   - 2\n", "line 3: expected the items of a list below each other");
  expect_yaml_error("a:\n  - b: 1\n", "line 2: expected a single value, found another ':'");
  expect_yaml_error("a:\n  - - 1\n",
                    "line 2: expected a plain value or one in quotes, found '- 1'");
  expect_yaml_error("- a\n", "line 1: expected a plain value");
  expect_yaml_error("a: b: c\n", "line 1: expected a single value, found another ':'");
  expect_yaml_error("a\n", "line 1: expected ':' after the key 'a'");
  expect_yaml_error("? a\nb: 1\n", "line 2: expected ':' on the line after the key 'a'");
  expect_yaml_error("? a", "line 1: expected ':' on the line after the key 'a'");
  expect_yaml_error("a: 1\nb: 2\na: 3\n", "line 3: the key 'a' appears twice");
  expect_yaml_error("a: 1\n---\nb: 2\n", "line 2: expected one document, found a second one");
  expect_yaml_error("\ta: 1\n",
                    "line 1: expected spaces at the beginning of the line, found a tab");
  expect_yaml_error("%YAML 1.2\n", "line 1: expected a plain value");
}

TEST(Yaml, RefusesListsAndQuotesThatDoNotEnd) {
  expect_yaml_error("a: [1, 2\n", "line 1: expected ',' or ']' in the list");
  expect_yaml_error("a: [1,\n2]\n", "line 1: expected a list that ends on its line with ']'");
  expect_yaml_error("a: [1, [2]]\n", "line 1: expected a plain value");
  expect_yaml_error("a: [,]\n", "expected a value in the list, found ','");
  expect_yaml_error("a: [1] 2\n", "expected the end of the line, found ' 2'");
  expect_yaml_error("a: \"x\n", "expected a closing quote on the same line");
  expect_yaml_error("a: 'x\n", "expected a closing quote on the same line");
  expect_yaml_error("a: \"x\\\n", "expected a closing quote on the same line");
  expect_yaml_error("a: \"x\" y\n", "expected the end of the line, found ' y'");
}

TEST(Yaml, RefusesWhatIsNoCharacter) {
  expect_yaml_error("a: \"\\q\"\n", "unknown escape '\\q'");
  expect_yaml_error("a: \"\\x4\"\n", "expected 2 digits of a character, found '4\"'");
  expect_yaml_error("a: \"\\ud800\"\n", "expected 4 digits of a character, found 'd800'");
  expect_yaml_error("a: \"\\U00110000\"\n", "expected 8 digits of a character");
  expect_yaml_error("a: \"\\x+1\"\n", "expected 2 digits of a character");
  expect_yaml_error("a: \xff\n", "decoder.yml: expected UTF-8, found other bytes at byte 3");
  expect_yaml_error(std::string_view("a: 1\nb: \0\n", 10), "line 2: expected text, found '\\x00'");
  expect_yaml_error("a: \x1b[1m\n", "line 1: expected text, found '\\x1b'");
}

TEST(Yaml, ReadsLargeVocabulariesInNoTime) {
  std::string text;
  for (int i = 0; i < 200'000; ++i)
    text += "token" + std::to_string(i) + ": " + std::to_string(i) + "\n";
  const Json vocabulary = parse_yaml(text, "vocab.yml");
  EXPECT_EQ(vocabulary.size(), 200'000u);
  EXPECT_EQ(vocabulary["token199999"], 199'999);
}

}  // namespace
}  // namespace attend
