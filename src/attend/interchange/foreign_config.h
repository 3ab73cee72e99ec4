// The settings of a foreign model: config.json and its like, or the options of Marian.
//
// A setting that nobody asks for is one that somebody thought of and we have not: the model would
// be another one than it was. So whoever reads settings asks for each by name, with the values that
// it may have, says which do not matter, and asks at the end whether any was left over.
//
//   ForeignConfig config = ForeignConfig::from_json(text, "config.json");
//   const std::int64_t width = config.integer("d_model", between(1, 65536));
//   config.require("position_embedding_type", "absolute");
//   config.ignore({"transformers_version", "torch_dtype"});
//   config.require_all_known();
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/number_range.h"

namespace attend {

class ForeignConfig {
 public:
  // `where` (the file) begins the messages. All functions throw DataError, naming the setting and
  // its value, for one that is not what is asked for. null is the same as nothing.
  ForeignConfig(nlohmann::json object, std::string where);
  static ForeignConfig from_json(std::string_view text, std::string where);
  static ForeignConfig from_yaml(std::string_view text, std::string where);

  // Whether there is a setting of that name, known or not, that is not null.
  bool has(std::string_view key) const;

  // What must be there. Each counts as known from now on, whether it is there or not.
  std::int64_t integer(std::string_view key, const NumberRange& range);
  double number(std::string_view key, const NumberRange& range);
  bool boolean(std::string_view key);
  std::string text(std::string_view key);
  std::vector<std::int64_t> integers(std::string_view key, const NumberRange& range);
  std::vector<std::string> texts(std::string_view key);
  // One of a few names: which of them.
  std::size_t choice(std::string_view key, std::initializer_list<std::string_view> names);
  // Settings in a setting, which require_all_known() looks into. Valid as long as this object.
  ForeignConfig& object(std::string_view key);

  // The same with a value for when it is not there.
  std::int64_t integer_or(std::string_view key, std::int64_t otherwise, const NumberRange& range);
  double number_or(std::string_view key, double otherwise, const NumberRange& range);
  bool boolean_or(std::string_view key, bool otherwise);
  std::string text_or(std::string_view key, std::string_view otherwise);
  std::size_t choice_or(std::string_view key, std::size_t otherwise,
                        std::initializer_list<std::string_view> names);

  // The setting, if it is there, has the one value, or one of those, that we can compute.
  void require_one_of(std::string_view key, std::span<const nlohmann::json> values);
  void require(std::string_view key, const nlohmann::json& value) {
    require_one_of(key, {&value, 1});
  }
  // Settings that change nothing that we compute.
  void ignore(std::initializer_list<std::string_view> keys);
  // The names of all settings.
  std::vector<std::string> keys() const;

  // Throws DataError, naming the first one, when there are settings that nobody has asked for.
  void require_all_known() const;

  // Throws DataError "<where>: "<key>" is <value>; <expected>", or that it is missing.
  [[noreturn]] void refuse(std::string_view key, std::string_view expected) const;

 private:
  // Marks as known; nullptr when it is not there or null.
  const nlohmann::json* look_up(std::string_view key);
  const nlohmann::json& demand(std::string_view key, std::string_view expected);

  nlohmann::json object_;
  std::string where_;
  std::set<std::string, std::less<>> known_;
  std::map<std::string, std::unique_ptr<ForeignConfig>, std::less<>> objects_;
};

}  // namespace attend
