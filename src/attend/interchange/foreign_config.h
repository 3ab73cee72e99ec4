// The settings of a foreign model: config.json and similar files, or the options of Marian.
//
// A setting that an importer ignores could change what the model computes. An importer therefore
// asks for every setting by name, with the values it supports, lists those that do not matter, and
// checks at the end that none is left.
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

#include "attend/core/options/number_range.h"

namespace attend {

class ForeignConfig {
 public:
  // `where` names the file in messages. All functions throw DataError, with the name and value of
  // the setting, if it is not as requested. A null counts as absent.
  ForeignConfig(nlohmann::json object, std::string where);
  static ForeignConfig from_json(std::string_view text, std::string where);
  static ForeignConfig from_yaml(std::string_view text, std::string where);

  // Whether the setting is present and not null. Does not mark it as known.
  bool has(std::string_view key) const;
  bool is_number(std::string_view key) const;
  // Whether the setting is present, also as null.
  bool mentions(std::string_view key) const;

  // Required settings. Asking for a setting marks it as known.
  std::int64_t integer(std::string_view key, const NumberRange& range);
  double number(std::string_view key, const NumberRange& range);
  bool boolean(std::string_view key);
  std::string text(std::string_view key);
  std::vector<std::int64_t> integers(std::string_view key, const NumberRange& range);
  std::vector<std::int64_t> integer_or_integers(std::string_view key, const NumberRange& range);
  std::vector<std::vector<std::int64_t>> integer_lists(std::string_view key,
                                                       const NumberRange& range);
  std::vector<double> numbers(std::string_view key);
  std::vector<bool> booleans(std::string_view key);
  std::vector<std::string> texts(std::string_view key);
  std::vector<std::string> text_or_texts(std::string_view key);
  // Returns the index of the value in `names`.
  std::size_t choice(std::string_view key, std::initializer_list<std::string_view> names);
  // A nested object. require_all_known() checks it, too. Valid as long as this ForeignConfig.
  ForeignConfig& object(std::string_view key);

  // Optional settings, with a default.
  std::int64_t integer_or(std::string_view key, std::int64_t otherwise, const NumberRange& range);
  double number_or(std::string_view key, double otherwise, const NumberRange& range);
  bool boolean_or(std::string_view key, bool otherwise);
  std::string text_or(std::string_view key, std::string_view otherwise);
  std::size_t choice_or(std::string_view key, std::size_t otherwise,
                        std::initializer_list<std::string_view> names);

  // Throws unless the setting is absent or has a supported value.
  void require_one_of(std::string_view key, std::span<const nlohmann::json> values);
  void require(std::string_view key, const nlohmann::json& value) {
    require_one_of(key, {&value, 1});
  }
  // Marks settings as known that do not affect what the model computes.
  void ignore(std::initializer_list<std::string_view> keys);
  // The names of all settings.
  std::vector<std::string> keys() const;

  // Throws DataError with the first setting that is not known.
  void require_all_known() const;

  // Throws DataError "<where>: "<key>" is <value>; <expected>", or that it is missing.
  [[noreturn]] void refuse(std::string_view key, std::string_view expected) const;

 private:
  // Marks the setting as known. Returns nullptr if it is absent.
  const nlohmann::json* look_up(std::string_view key);
  const nlohmann::json& demand(std::string_view key, std::string_view expected);

  nlohmann::json object_;
  std::string where_;
  std::set<std::string, std::less<>> known_;
  std::map<std::string, std::unique_ptr<ForeignConfig>, std::less<>> objects_;
};

}  // namespace attend
