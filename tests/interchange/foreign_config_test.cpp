#include "attend/interchange/foreign_config.h"

#include <gtest/gtest.h>

#include <array>

#include "attend/error.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

ForeignConfig config_of(std::string_view text) {
  return ForeignConfig::from_json(text, "dir/config.json");
}

ForeignConfig example() {
  return config_of(R"({"d_model": 512, "dropout": 0.1, "tied": true, "act": "gelu", "none": null,
                       "ids": [1, 2], "names": ["a", "b"], "position_embedding_type": "relative_key",
                       "rope": {"type": "linear", "factor": 2.0, "more": [1]}, "huge": 1e40,
                       "long": 1000000000000000019884624838656, "unsigned": 18446744073709551615})");
}

void expect_config_error(const std::function<void(ForeignConfig&)>& action,
                         std::string_view message) {
  ForeignConfig config = example();
  expect_error<DataError>([&] { action(config); }, {message});
}

TEST(ForeignConfig, GivesSettingsByTypeAndRange) {
  ForeignConfig config = example();
  EXPECT_EQ(config.integer("d_model", between(1, 1024)), 512);
  EXPECT_EQ(config.number("dropout", below_one()), 0.1);
  EXPECT_EQ(config.number("d_model", between(0, 1024)), 512);
  EXPECT_TRUE(config.boolean("tied"));
  EXPECT_EQ(config.text("act"), "gelu");
  EXPECT_EQ(config.choice("act", {"relu", "gelu"}), 1u);
  EXPECT_EQ(config.integers("ids", between(0, 5)), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(config.texts("names"), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(config.has("act"));
  EXPECT_FALSE(config.has("none"));
}

TEST(ForeignConfig, NamesSettingAndValueInItsErrors) {
  using C = ForeignConfig;
  expect_config_error([](C& c) { c.integer("d_model", between(1, 256)); },
                      "dir/config.json: \"d_model\" is 512; expected a whole number from 1 to 256");
  expect_config_error([](C& c) { c.integer("dropout", between(0, 1)); },
                      "\"dropout\" is 0.1; expected");
  expect_config_error([](C& c) { c.integer("act", between(0, 1)); },
                      "\"act\" is \"gelu\"; expected");
  expect_config_error([](C& c) { c.integer("unsigned", between(-1, 1e30)); },
                      "\"unsigned\" is 18446744073709551615; expected");
  expect_config_error([](C& c) { c.integer("long", between(0, 1e40)); },
                      "\"long\" is 1e+30; expected");
  expect_config_error([](C& c) { c.number("huge", between(0, 1e38)); },
                      "\"huge\" is 1e+40; expected");
  expect_config_error([](C& c) { c.boolean("d_model"); },
                      "\"d_model\" is 512; expected true or false");
  expect_config_error([](C& c) { c.text("tied"); }, "\"tied\" is true; expected a string");
  expect_config_error([](C& c) { c.texts("ids"); }, "\"ids\" is [1,2]; expected a list of strings");
  expect_config_error([](C& c) { c.integers("ids", between(0, 1)); },
                      "\"ids\" is [1,2]; expected a list, each");
  expect_config_error([](C& c) { c.object("ids"); }, "\"ids\" is [1,2]; expected an object");
  expect_config_error(
      [](C& c) {
        c.choice("act", {"relu", "swish"});
      },
      "\"act\" is \"gelu\"; only \"relu\", \"swish\" are supported");
  expect_config_error([](C& c) { c.integer("other", between(0, 1)); },
                      "\"other\" is missing; expected a whole number from 0 to 1");
  expect_config_error([](C& c) { c.text("none"); }, "\"none\" is null; expected a string");
}

TEST(ForeignConfig, TakesNothingAndNullForWhatMayBeMissing) {
  ForeignConfig config = example();
  EXPECT_EQ(config.integer_or("other", 7, between(0, 1)), 7);
  EXPECT_EQ(config.integer_or("none", 7, between(0, 1)), 7);
  EXPECT_EQ(config.integer_or("d_model", 7, between(0, 1024)), 512);
  EXPECT_EQ(config.number_or("none", 0.5, between(0, 1)), 0.5);
  EXPECT_TRUE(config.boolean_or("none", true));
  EXPECT_TRUE(config.boolean_or("tied", false));
  EXPECT_EQ(config.text_or("none", "x"), "x");
  EXPECT_EQ(config.choice_or("none", 1, {"a", "b"}), 1u);
  EXPECT_EQ(config.choice_or("act", 1, {"gelu", "b"}), 0u);
  expect_config_error([](ForeignConfig& c) { c.integer_or("act", 7, between(0, 1)); },
                      "\"act\" is \"gelu\"");
}

TEST(ForeignConfig, RequiresTheValuesThatAreSupported) {
  expect_config_error([](ForeignConfig& c) { c.require("position_embedding_type", "absolute"); },
                      "dir/config.json: \"position_embedding_type\" is \"relative_key\"; only "
                      "\"absolute\" is supported");
  const std::array<nlohmann::json, 2> values = {"gelu", "swish"};
  expect_config_error([&](ForeignConfig& c) { c.require_one_of("tied", values); },
                      "\"tied\" is true; only \"gelu\", \"swish\" are supported");
  ForeignConfig config = example();
  config.require("tied", true);
  config.require_one_of("act", values);
  config.require("none", "anything");
  config.require("other", 3);
}

TEST(ForeignConfig, NamesASettingThatNobodyHasAskedFor) {
  ForeignConfig config =
      config_of(R"({"known": 1, "asked": null, "odd": [1, {"a": 2}], "none": null})");
  config.integer("known", between(0, 1));
  expect_error<DataError>(
      [&] { config.require_all_known(); },
      {"dir/config.json: \"odd\" is [1,{\"a\":2}]; this setting is not supported"});
  config.ignore({"odd", "not there"});
  config.require_all_known();
  EXPECT_EQ(config.keys(), (std::vector<std::string>{"asked", "known", "none", "odd"}));
}

TEST(ForeignConfig, LooksIntoObjects) {
  ForeignConfig config = config_of(R"({"rope": {"type": "linear", "factor": 2.0}})");
  EXPECT_EQ(config.object("rope").text("type"), "linear");
  expect_error<DataError>(
      [&] { config.require_all_known(); },
      {"dir/config.json, \"rope\": \"factor\" is 2.0; this setting is not supported"});
  EXPECT_EQ(config.object("rope").number("factor", between(1, 8)), 2);
  config.require_all_known();
}

TEST(ForeignConfig, ReadsTheOptionsOfMarian) {
  ForeignConfig options =
      ForeignConfig::from_yaml("dim-vocabs:\n  - 5\n  - 6\ntype: transformer\n", "model.npz");
  EXPECT_EQ(options.integers("dim-vocabs", between(1, 9)), (std::vector<std::int64_t>{5, 6}));
  expect_error<DataError>([&] { options.require_all_known(); },
                          {"model.npz: \"type\" is \"transformer\"; this setting"});
}

TEST(ForeignConfig, ShowsOutsideTextSafelyAndShort) {
  ForeignConfig config = config_of("{\"a\\u001b[1m\": \"" + std::string(5000, 'x') + "\\n\"}");
  try {
    config.require_all_known();
    FAIL();
  } catch (const DataError& error) {
    const std::string message = error.what();
    EXPECT_LT(message.size(), 300u);
    EXPECT_EQ(message.find('\x1b'), message.npos);
    EXPECT_EQ(message.find('\n'), message.npos);
  }
}

TEST(ForeignConfig, IsAnObject) {
  for (const char* const text : {"[]", "1", "null", "{", "", "{\"a\": NaN}"})
    EXPECT_THROW(config_of(text), DataError) << text;
  EXPECT_THROW(config_of(std::string(100, '[')), DataError);
}

}  // namespace
}  // namespace attend
