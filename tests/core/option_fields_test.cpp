#include "attend/core/option_fields.h"

#include <gtest/gtest.h>

#include <array>

#include "attend/core/error.h"

namespace attend {
namespace {

enum class Norm { post, pre };
std::span<const std::string_view> enum_names(Norm) {
  static constexpr std::array<std::string_view, 2> kNames{"post", "pre_norm"};
  return kNames;
}

struct Inner {
  float beta = 0.1f;
};
template <class Visitor>
void fields(Inner& o, Visitor&& visit) {
  visit("beta", o.beta, "a nested one");
}

struct Example {
  bool tied = false;
  int d_model = 512;
  std::int64_t max_steps = 100000;
  std::uint64_t seed = 1;
  double value = -1;
  std::string out = "run";
  std::vector<std::string> inputs{"a b", "c"};
  Norm norm = Norm::post;
  Inner inner;
};
template <class Visitor>
void fields(Example& o, Visitor&& visit) {
  visit("tied", o.tied, "tie");
  visit("d-model", o.d_model, "width");
  visit("max-steps", o.max_steps, "steps");
  visit("seed", o.seed, "seed");
  visit("value", o.value, "value");
  visit("out", o.out, "folder");
  visit("inputs", o.inputs, "files");
  visit("norm", o.norm, "where");
  fields(o.inner, visit);
}

void set(Example& example, std::string_view name, std::vector<std::string> values) {
  const auto list = option_fields(example);
  set_option(*find_option(list, name), values, "--" + std::string(name));
}

std::string error_of(std::string_view name, std::vector<std::string> values) {
  Example example;
  try {
    set(example, name, std::move(values));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(OptionFields, ListsEveryOptionInOrder) {
  Example example;
  EXPECT_EQ(option_names(option_fields(example)),
            (std::vector<std::string>{"tied", "d-model", "max-steps", "seed", "value", "out", "inputs", "norm", "beta"}));
}

TEST(OptionFields, SetsEveryType) {
  Example example;
  set(example, "tied", {"yes"});
  set(example, "d_model", {"64"});
  set(example, "max-steps", {"1_000_000"});
  set(example, "seed", {"18446744073709551615"});
  set(example, "value", {"+2.5e-3"});
  set(example, "out", {""});
  set(example, "inputs", {"x", "y", "z"});
  set(example, "norm", {"pre-norm"});
  set(example, "beta", {"3"});
  EXPECT_TRUE(example.tied);
  EXPECT_EQ(example.d_model, 64);
  EXPECT_EQ(example.max_steps, 1000000);
  EXPECT_EQ(example.seed, 18446744073709551615u);
  EXPECT_EQ(example.value, 2.5e-3);
  EXPECT_EQ(example.out, "");
  EXPECT_EQ(example.inputs.size(), 3u);
  EXPECT_EQ(example.norm, Norm::pre);
  EXPECT_EQ(example.inner.beta, 3.0f);
}

TEST(OptionFields, SayWhatWasExpected) {
  EXPECT_EQ(error_of("d-model", {"6x"}), "--d-model: expected a whole number, got 6x");
  EXPECT_EQ(error_of("d-model", {"1.5"}), "--d-model: expected a whole number, got 1.5");
  EXPECT_EQ(error_of("d-model", {"3000000000"}), "--d-model: expected a whole number, got 3000000000");
  EXPECT_EQ(error_of("d-model", {""}), "--d-model: expected a whole number, got nothing");
  EXPECT_EQ(error_of("d-model", {"1", "2"}), "--d-model: expected a whole number, got 2 values");
  EXPECT_EQ(error_of("seed", {"-1"}), "--seed: expected a whole number, not negative, got -1");
  EXPECT_EQ(error_of("beta", {"1,5"}), "--beta: expected a number, got 1,5");
  EXPECT_EQ(error_of("tied", {"maybe"}), "--tied: expected true or false, got maybe");
  EXPECT_EQ(error_of("norm", {"middle"}), "--norm: expected one of post, pre_norm, got middle");
}

TEST(OptionFields, KeepTheirValueOnErrors) {
  Example example;
  EXPECT_THROW(set(example, "d-model", {"64oops"}), ConfigError);
  EXPECT_EQ(example.d_model, 512);
}

TEST(Toml, ListsTheValues) {
  EXPECT_EQ(to_toml(Example{}, "model"),
            "[model]\ntied = false\nd-model = 512\nmax-steps = 100000\nseed = 1\nvalue = -1.0\nout = \"run\"\ninputs = [\"a b\", \"c\"]\n"
            "norm = \"post\"\nbeta = 0.1\n");
}

TEST(Toml, QuotesWhatNeedsIt) {
  Example example;
  example.out = "a \"b\" # c";
  example.inputs = {};
  example.inner.beta = 1e-9f;
  const std::string text = to_toml(example);
  EXPECT_NE(text.find("out = \"a \\\"b\\\" # c\"\n"), std::string::npos) << text;
  EXPECT_NE(text.find("inputs = []\n"), std::string::npos);
  EXPECT_NE(text.find("beta = 1e-09\n"), std::string::npos);
  example.out = "both ' and \" and \\, two\nlines, \x1b[31m, \xC2\x9B, \xE2\x80\xAE, \x7f, \xC3\xA4";
  EXPECT_NE(
      to_toml(example).find("out = \"both ' and \\\" and \\\\, two\\u000Alines, \\u001B[31m, \\u009B, \\u202E, \\u007F, \xC3\xA4\"\n"),
      std::string::npos)
      << to_toml(example);
}

TEST(Toml, HoldsUtf8Only) {
  Example example;
  example.out = "a\xff";
  EXPECT_THROW(to_toml(example), ConfigError);
}

TEST(Toml, HasNoIntegersBeyond63Bits) {
  Example example;
  example.seed = 9223372036854775807u;
  EXPECT_NE(to_toml(example).find("seed = 9223372036854775807\n"), std::string::npos);
  example.seed = 18446744073709551615u;
  EXPECT_NE(to_toml(example).find("seed = \"18446744073709551615\"\n"), std::string::npos);
}

}  // namespace
}  // namespace attend
