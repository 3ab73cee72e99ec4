#include "attend/interchange/foreign_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "attend/core/json/json.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/interchange/formats/yaml.h"

namespace attend {

namespace {

// As JSON on one line, shortened if long.
std::string value_text(const nlohmann::json& value) {
  constexpr std::size_t kLongestValue = 80;
  return printable(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
                   kLongestValue);
}

std::string supported(std::span<const nlohmann::json> values) {
  std::vector<std::string> texts;
  for (const nlohmann::json& value : values) texts.push_back(value_text(value));
  return fmt::format("only {} {} supported", fmt::join(texts, ", "),
                     texts.size() == 1 ? "is" : "are");
}

// Returns nullopt unless the value is a 64-bit integer within the range.
std::optional<std::int64_t> integer_in(const nlohmann::json& value, const NumberRange& range) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!value.is_number_integer()) return std::nullopt;
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > kMost) return std::nullopt;
  const auto number = value.get<std::int64_t>();
  return range.contains(number) ? std::optional(number) : std::nullopt;
}

// nullopt for what is no list of such integers.
std::optional<std::vector<std::int64_t>> integers_in(const nlohmann::json& value,
                                                     const NumberRange& range) {
  if (!value.is_array()) return std::nullopt;
  std::vector<std::int64_t> numbers;
  for (const nlohmann::json& item : value) {
    const auto number = integer_in(item, range);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace

ForeignConfig::ForeignConfig(nlohmann::json object, std::string where)
    : object_(std::move(object)), where_(std::move(where)) {
  if (!object_.is_object())
    throw DataError(
        fmt::format("{}: expected a JSON object, found {}", where_, value_text(object_)));
}

ForeignConfig ForeignConfig::from_json(std::string_view text, std::string where) {
  nlohmann::json object = parse_sorted_json(text, where);
  return {std::move(object), std::move(where)};
}

ForeignConfig ForeignConfig::from_yaml(std::string_view text, std::string where) {
  nlohmann::json object = parse_yaml(text, where);
  return {std::move(object), std::move(where)};
}

bool ForeignConfig::has(std::string_view key) const {
  const auto found = object_.find(std::string(key));
  return found != object_.end() && !found->is_null();
}

bool ForeignConfig::is_number(std::string_view key) const {
  const auto found = object_.find(std::string(key));
  return found != object_.end() && found->is_number();
}

bool ForeignConfig::mentions(std::string_view key) const {
  return object_.contains(std::string(key));
}

void ForeignConfig::refuse(std::string_view key, std::string_view expected) const {
  const auto found = object_.find(std::string(key));
  if (found == object_.end())
    throw DataError(fmt::format("{}: \"{}\" is missing; {}", where_, printable(key), expected));
  throw DataError(
      fmt::format("{}: \"{}\" is {}; {}", where_, printable(key), value_text(*found), expected));
}

const nlohmann::json* ForeignConfig::look_up(std::string_view key) {
  known_.emplace(key);
  const auto found = object_.find(std::string(key));
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

const nlohmann::json& ForeignConfig::demand(std::string_view key, std::string_view expected) {
  const nlohmann::json* const value = look_up(key);
  if (value == nullptr) refuse(key, fmt::format("expected {}", expected));
  return *value;
}

std::int64_t ForeignConfig::integer(std::string_view key, const NumberRange& range) {
  const std::string expected = expected_number(range, true);
  const auto number = integer_in(demand(key, expected), range);
  if (!number) refuse(key, "expected " + expected);
  return *number;
}

double ForeignConfig::number(std::string_view key, const NumberRange& range) {
  const std::string expected = expected_number(range, false);
  const nlohmann::json& value = demand(key, expected);
  if (!value.is_number() || !range.contains(value.get<double>()))
    refuse(key, "expected " + expected);
  return value.get<double>();
}

bool ForeignConfig::boolean(std::string_view key) {
  const nlohmann::json& value = demand(key, "true or false");
  if (!value.is_boolean()) refuse(key, "expected true or false");
  return value.get<bool>();
}

std::string ForeignConfig::text(std::string_view key) {
  const nlohmann::json& value = demand(key, "a string");
  if (!value.is_string()) refuse(key, "expected a string");
  return value.get<std::string>();
}

std::vector<std::int64_t> ForeignConfig::integers(std::string_view key, const NumberRange& range) {
  const std::string expected = "a list, each " + expected_number(range, true);
  const auto numbers = integers_in(demand(key, expected), range);
  if (!numbers) refuse(key, "expected " + expected);
  return *numbers;
}

std::vector<std::int64_t> ForeignConfig::integer_or_integers(std::string_view key,
                                                             const NumberRange& range) {
  const nlohmann::json* const value = look_up(key);
  if (value != nullptr && value->is_array()) return integers(key, range);
  return {integer(key, range)};
}

std::vector<std::vector<std::int64_t>> ForeignConfig::integer_lists(std::string_view key,
                                                                    const NumberRange& range) {
  const std::string expected = "a list of lists, each of numbers " + expected_number(range, true);
  const nlohmann::json& value = demand(key, expected);
  if (!value.is_array()) refuse(key, "expected " + expected);
  std::vector<std::vector<std::int64_t>> lists;
  for (const nlohmann::json& list : value) {
    const auto numbers = integers_in(list, range);
    if (!numbers) refuse(key, "expected " + expected);
    lists.push_back(*numbers);
  }
  return lists;
}

std::vector<double> ForeignConfig::numbers(std::string_view key) {
  const nlohmann::json& value = demand(key, "a list of numbers");
  const bool all_numbers =
      value.is_array() && std::all_of(value.begin(), value.end(),
                                      [](const nlohmann::json& item) { return item.is_number(); });
  if (!all_numbers) refuse(key, "expected a list of numbers");
  return value.get<std::vector<double>>();
}

std::vector<bool> ForeignConfig::booleans(std::string_view key) {
  const nlohmann::json& value = demand(key, "a list, each true or false");
  const bool all_flags =
      value.is_array() && std::all_of(value.begin(), value.end(),
                                      [](const nlohmann::json& item) { return item.is_boolean(); });
  if (!all_flags) refuse(key, "expected a list, each true or false");
  return value.get<std::vector<bool>>();
}

std::vector<std::string> ForeignConfig::texts(std::string_view key) {
  const nlohmann::json& value = demand(key, "a list of strings");
  const bool all_texts =
      value.is_array() && std::all_of(value.begin(), value.end(),
                                      [](const nlohmann::json& item) { return item.is_string(); });
  if (!all_texts) refuse(key, "expected a list of strings");
  return value.get<std::vector<std::string>>();
}

std::vector<std::string> ForeignConfig::text_or_texts(std::string_view key) {
  constexpr const char* kExpected = "a string or a list of strings";
  const nlohmann::json& value = demand(key, kExpected);
  if (!value.is_array() && !value.is_string()) refuse(key, fmt::format("expected {}", kExpected));
  return value.is_array() ? texts(key) : std::vector{text(key)};
}

std::size_t ForeignConfig::choice(std::string_view key,
                                  std::initializer_list<std::string_view> names) {
  const std::vector<nlohmann::json> values(names.begin(), names.end());
  const auto found = std::find(values.begin(), values.end(), demand(key, supported(values)));
  if (found == values.end()) refuse(key, supported(values));
  return static_cast<std::size_t>(found - values.begin());
}

ForeignConfig& ForeignConfig::object(std::string_view key) {
  const nlohmann::json& value = demand(key, "an object");
  if (!value.is_object()) refuse(key, "expected an object");
  auto& child = objects_[std::string(key)];
  if (child == nullptr)
    child =
        std::make_unique<ForeignConfig>(value, fmt::format("{}, \"{}\"", where_, printable(key)));
  return *child;
}

std::int64_t ForeignConfig::integer_or(std::string_view key, std::int64_t otherwise,
                                       const NumberRange& range) {
  return look_up(key) == nullptr ? otherwise : integer(key, range);
}

double ForeignConfig::number_or(std::string_view key, double otherwise, const NumberRange& range) {
  return look_up(key) == nullptr ? otherwise : number(key, range);
}

bool ForeignConfig::boolean_or(std::string_view key, bool otherwise) {
  return look_up(key) == nullptr ? otherwise : boolean(key);
}

std::string ForeignConfig::text_or(std::string_view key, std::string_view otherwise) {
  return look_up(key) == nullptr ? std::string(otherwise) : text(key);
}

std::size_t ForeignConfig::choice_or(std::string_view key, std::size_t otherwise,
                                     std::initializer_list<std::string_view> names) {
  return look_up(key) == nullptr ? otherwise : choice(key, names);
}

void ForeignConfig::require_one_of(std::string_view key, std::span<const nlohmann::json> values) {
  const nlohmann::json* const value = look_up(key);
  if (value == nullptr || std::find(values.begin(), values.end(), *value) != values.end()) return;
  refuse(key, supported(values));
}

void ForeignConfig::ignore(std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) known_.emplace(key);
}

std::vector<std::string> ForeignConfig::keys() const {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object_.items()) keys.push_back(key);
  return keys;
}

void ForeignConfig::require_all_known() const {
  for (const auto& [key, value] : object_.items())
    if (!known_.contains(key) && !value.is_null()) refuse(key, "this setting is not supported");
  for (const auto& [key, child] : objects_) child->require_all_known();
}

}  // namespace attend
