#include "attend/checkpoint/options_json.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>

#include "attend/error.h"
#include "core/german_locale.h"

namespace attend {
namespace {

enum class Norm { post, pre };
std::span<const std::string_view> enum_names(Norm) {
  static constexpr std::array<std::string_view, 2> kNames{"post", "pre"};
  return kNames;
}

struct Example {
  bool tied = false;
  int d_model = 512;
  std::uint64_t seed = 18446744073709551615u;
  float dropout = 0.1f;
  double value = 1e-9;
  std::string out = "\"ü\"\n";
  std::vector<std::string> inputs{"a", ""};
  Norm norm = Norm::pre;
};
template <class Visitor>
void fields(Example& o, Visitor&& visit) {
  visit("tied", o.tied, "");
  visit("d-model", o.d_model, between(1, 65536), "");
  visit("seed", o.seed, any_seed(), "");
  visit("dropout", o.dropout, between(-3e38, 3e38), "");
  visit("value", o.value, between(-1e6, 1e6), "");
  visit("out", o.out, "");
  visit("inputs", o.inputs, "");
  visit("norm", o.norm, "");
}

std::string error_of(std::string_view json) {
  Example example;
  example.d_model = 7;
  try {
    options_from_json(json, example, "m.safetensors");
  } catch (const DataError& error) {
    EXPECT_EQ(example.d_model, 7);
    return error.what();
  }
  return "no error";
}

TEST(OptionsJson, WritesSnakeCaseInOrder) {
  EXPECT_EQ(
      options_to_json(Example{}),
      R"({"tied":false,"d_model":512,"seed":18446744073709551615,"dropout":0.1,"value":1e-09,"out":"\"ü\"\n","inputs":["a",""],"norm":"pre"})");
}

TEST(OptionsJson, ReadsBackWhatItWrote) {
  Example written;
  written.tied = true;
  written.dropout = 0.3333333433f;
  written.norm = Norm::post;
  Example read;
  read.inputs = {"other"};
  options_from_json(options_to_json(written), read, "here");
  EXPECT_EQ(options_to_json(read), options_to_json(written));
  EXPECT_EQ(read.dropout, written.dropout);
  EXPECT_EQ(read.out, written.out);
}

TEST(OptionsJson, ReadsEveryFloatBack) {
  for (std::uint32_t bits = 1; bits < 0x7f000000u; bits += 1234567u) {
    Example written, read;
    written.dropout = std::bit_cast<float>(bits);
    options_from_json(options_to_json(written), read, "here");
    ASSERT_EQ(read.dropout, written.dropout) << bits;
  }
}

TEST(OptionsJson, KeepsWhatIsNotNamed) {
  Example example;
  example.d_model = 3;
  options_from_json(R"({"tied": true, "dropout": 1})", example, "here");
  EXPECT_EQ(example.d_model, 3);
  EXPECT_TRUE(example.tied);
  EXPECT_EQ(example.dropout, 1.0f);
}

TEST(OptionsJson, TakesKebabCaseToo) {
  Example example;
  options_from_json(R"({"d-model": 64})", example, "here");
  EXPECT_EQ(example.d_model, 64);
}

TEST(OptionsJson, NamesTheKeyAtFault) {
  EXPECT_EQ(error_of(R"({"d_modle": 1})"),
            "m.safetensors: unknown option d_modle; did you mean d-model?");
  EXPECT_EQ(error_of(R"({"d_model": 1, "zzz": 1})"), "m.safetensors: unknown option zzz");
  EXPECT_EQ(error_of(R"({"d_model": "64"})"),
            "m.safetensors: d_model: expected a whole number from 1 to 65536, got \"64\"");
  EXPECT_EQ(error_of(R"({"d_model": 1.5})"),
            "m.safetensors: d_model: expected a whole number from 1 to 65536, got 1.5");
  EXPECT_EQ(error_of(R"({"d_model": 3000000000})"),
            "m.safetensors: d_model: expected a whole number from 1 to 65536, got 3000000000");
  EXPECT_EQ(error_of(R"({"seed": -1})"), "no error") << "the same bits";
  EXPECT_EQ(error_of(R"({"tied": 1})"), "m.safetensors: tied: expected true or false, got 1");
  EXPECT_EQ(error_of(R"({"norm": "middle"})"),
            "m.safetensors: norm: expected one of post, pre, got middle");
  EXPECT_EQ(error_of(R"({"inputs": ["a", 1]})"),
            "m.safetensors: inputs: expected a list of strings, got [\"a\",1]");
  EXPECT_EQ(error_of(R"({"inputs": null})"),
            "m.safetensors: inputs: expected a list of strings, got null");
}

TEST(OptionsJson, RefusesWhatIsNoObject) {
  for (const char* json : {"[]", "3"})
    EXPECT_EQ(error_of(json), "m.safetensors: expected options as a JSON object") << json;
  for (const char* json : {"", "{", "{\"out\": \"\xff\"}"})
    EXPECT_TRUE(error_of(json).starts_with("m.safetensors: expected JSON")) << json;
}

TEST(OptionsFromJson, BoundTheDepthOfTheText) {
  Example options;
  const std::string lists = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  try {
    options_from_json("{\"d_model\": " + lists + "}", options, "model");
    FAIL() << "expected a DataError";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("nested lists"), std::string::npos) << error.what();
  }
  EXPECT_EQ(options.d_model, 512);
}

// A program may have chosen a language in which 0.1 is written 0,1.
TEST(OptionsJson, IsTheSameInEveryLanguage) {
  Example example;
  const std::string expected = options_to_json(example);
  EXPECT_NE(expected.find("\"dropout\":0.1,"), std::string::npos) << expected;
  const GermanLocale german;
  if (!german) GTEST_SKIP() << GermanLocale::kMissing;
  EXPECT_EQ(options_to_json(example), expected);
}

}  // namespace
}  // namespace attend
