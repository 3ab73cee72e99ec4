#include "attend/core/options/option_fields.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "attend/error.h"

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
  visit("beta", o.beta, between(0, 10), "a nested one");
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
  visit("d-model", o.d_model, between(1, 65536), "width");
  visit("max-steps", o.max_steps, between(1, 1e12), "steps");
  visit("seed", o.seed, any_seed(), "seed");
  visit("value", o.value, above(-2, 5), "value");
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
            (std::vector<std::string>{"tied", "d-model", "max-steps", "seed", "value", "out",
                                      "inputs", "norm", "beta"}));
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
  EXPECT_EQ(error_of("d-model", {"6x"}),
            "--d-model: expected a whole number from 1 to 65536, got 6x");
  EXPECT_EQ(error_of("d-model", {"1.5"}),
            "--d-model: expected a whole number from 1 to 65536, got 1.5");
  EXPECT_EQ(error_of("d-model", {"3000000000"}),
            "--d-model: expected a whole number from 1 to 65536, got 3000000000");
  EXPECT_EQ(error_of("d-model", {""}),
            "--d-model: expected a whole number from 1 to 65536, got nothing");
  EXPECT_EQ(error_of("d-model", {"1", "2"}),
            "--d-model: expected a whole number from 1 to 65536, got 2 values");
  EXPECT_EQ(error_of("seed", {"1.5"}), "--seed: expected a whole number of 64 bits, got 1.5");
  EXPECT_EQ(error_of("beta", {"1,5"}), "--beta: expected a number from 0 to 10, got 1,5");
  EXPECT_EQ(error_of("tied", {"maybe"}), "--tied: expected true or false, got maybe");
  EXPECT_EQ(error_of("norm", {"middle"}), "--norm: expected one of post, pre_norm, got middle");
}

// Programs write 3.0 and 1e5 for whole numbers.
TEST(OptionFields, TakeWholeNumbersInAnyForm) {
  Example example;
  set(example, "d-model", {"64.0"});
  set(example, "max-steps", {"1e5"});
  EXPECT_EQ(example.d_model, 64);
  EXPECT_EQ(example.max_steps, 100000);
  set(example, "seed", {"3.0"});
  EXPECT_EQ(example.seed, 3u);
  for (const char* text : {"3.5", "1e-1", "1e300", "3e9", "-1e300", "-64.0"})
    EXPECT_TRUE(error_of("d-model", {text}).starts_with("--d-model: expected a whole")) << text;
  EXPECT_TRUE(error_of("max-steps", {"1e13"}).starts_with("--max-steps: expected a whole"));
}

// torch.manual_seed(-1) and torch.manual_seed(2**64 - 1) are the same.
TEST(OptionFields, TakeAnySeedOf64Bits) {
  Example example;
  for (const auto& [text, seed] : {std::pair<const char*, std::uint64_t>{"-1", ~std::uint64_t{0}},
                                   {"-9223372036854775808", std::uint64_t{1} << 63},
                                   {"9223372036854775808", std::uint64_t{1} << 63},
                                   {"18446744073709551615", ~std::uint64_t{0}},
                                   {"-0", 0}}) {
    set(example, "seed", {text});
    EXPECT_EQ(example.seed, seed) << text;
  }
  EXPECT_NE(error_of("seed", {"-9223372036854775809"}), "no error");
  EXPECT_NE(error_of("seed", {"18446744073709551616"}), "no error");
}

TEST(OptionFields, RefuseWhatIsOutsideTheirRange) {
  EXPECT_EQ(error_of("d-model", {"0"}),
            "--d-model: expected a whole number from 1 to 65536, got 0");
  EXPECT_EQ(error_of("d-model", {"65537"}),
            "--d-model: expected a whole number from 1 to 65536, got 65537");
  EXPECT_EQ(error_of("max-steps", {"1000000000001"}),
            "--max-steps: expected a whole number from 1 to 1000000000000, got 1000000000001");
  EXPECT_EQ(error_of("beta", {"10.001"}), "--beta: expected a number from 0 to 10, got 10.001");
  EXPECT_EQ(error_of("value", {"-2"}), "--value: expected a number above -2 up to 5, got -2");
  EXPECT_EQ(error_of("value", {"-1.999"}), "no error");
  EXPECT_EQ(error_of("value", {"5"}), "no error");
  EXPECT_EQ(error_of("beta", {"-0"}), "--beta: expected a number from 0 to 10, got -0");
}

TEST(OptionFields, RefuseWhatIsNoFiniteNumber) {
  for (const char* text :
       {"nan", "NaN", "-nan", "inf", "-inf", "+inf", "Infinity", "1e999", "-1e999", "0x1p2", "0x10",
        "1 ", " 1", "++1", "1e", "1__0", "1,0", "--1", "1e-999"}) {
    for (const char* name : {"beta", "value", "d-model", "max-steps", "seed"}) {
      EXPECT_TRUE(error_of(name, {text}).starts_with("--" + std::string(name) + ": expected a "))
          << name << " " << text;
    }
  }
}

TEST(OptionFields, CheckTheNumbersOfAStruct) {
  Example example;
  EXPECT_NO_THROW(check_options(example));
  example.inner.beta = NAN;
  EXPECT_THROW(check_options(example), ConfigError);
  example.inner.beta = INFINITY;
  EXPECT_THROW(check_options(example), ConfigError);
  example.inner.beta = 0.5f;
  example.max_steps = 0;
  try {
    check_options(example);
    FAIL() << "0 steps were accepted";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "max_steps: expected a whole number from 1 to 1000000000000, got 0");
  }
}

TEST(NumberRanges, RoundTheirEndsToTheTypeOfTheNumber) {
  EXPECT_TRUE(between(1e-6, 1).contains(1e-6f));
  EXPECT_FALSE(below_one().contains(1.0f));
  EXPECT_TRUE(below_one().contains(0.99999994f));
  EXPECT_FALSE(between(0, 1).contains(std::nextafter(1.0, 2.0)));
  EXPECT_TRUE(any_seed().contains(std::numeric_limits<std::uint64_t>::max()));
}

TEST(OptionFields, KeepTheirValueOnErrors) {
  Example example;
  EXPECT_THROW(set(example, "d-model", {"64oops"}), ConfigError);
  EXPECT_EQ(example.d_model, 512);
}

TEST(OptionFields, AreSetByName) {
  Example example;
  const auto list = option_fields(example);
  set_option_named(list, "d_model", std::vector<std::string>{"8"});
  set_option_named(list, "max-steps", std::vector<std::string>{"9"});
  EXPECT_EQ(example.d_model, 8);
  EXPECT_EQ(example.max_steps, 9);
  try {
    set_option_named(list, "d_modle", std::vector<std::string>{"8"});
    ADD_FAILURE() << "an unknown name must not pass";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "unknown option 'd_modle'; did you mean d_model?");
  }
  try {
    set_option_named(list, "d_model", std::vector<std::string>{"0"});
    ADD_FAILURE() << "a value out of range must not pass";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "d_model: expected a whole number from 1 to 65536, got 0");
  }
}

TEST(Toml, ListsTheValues) {
  EXPECT_EQ(to_toml(Example{}, "model"),
            "[model]\ntied = false\nd-model = 512\nmax-steps = 100000\nseed = 1\nvalue = -1.0\nout "
            "= \"run\"\ninputs = [\"a b\", \"c\"]\n"
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
  example.out =
      "both ' and \" and \\, two\nlines, \x1b[31m, \xC2\x9B, \xE2\x80\xAE, \x7f, \xC3\xA4";
  EXPECT_NE(to_toml(example).find("out = \"both ' and \\\" and \\\\, two\\u000Alines, \\u001B[31m, "
                                  "\\u009B, \\u202E, \\u007F, \xC3\xA4\"\n"),
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
