#include "attend/interchange/migration/foreign_option.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/interchange/formats/yaml.h"

namespace attend {

namespace {

constexpr std::size_t kShownValue = 300;

std::string scalar_text(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number_integer()) return fmt::format("{}", value.get<std::int64_t>());
  if (value.is_number()) return fmt::format("{}", value.get<double>());
  return "";
}

// The names within another one begin with that and a dot.
void add_options(const nlohmann::json& object, const std::string& prefix,
                 std::vector<ForeignOption>& options) {
  for (const auto& [key, value] : object.items()) {
    if (value.is_object()) {
      add_options(value, prefix + key + ".", options);
      continue;
    }
    ForeignOption option{prefix + key};
    if (value.is_array()) {
      for (const nlohmann::json& element : value) option.values.push_back(scalar_text(element));
    } else if (!value.is_null()) {
      option.values.push_back(scalar_text(value));
    }
    options.push_back(std::move(option));
  }
}

}  // namespace

std::string spelled_name(const ForeignOption& option, OptionStyle style) {
  const bool is_flag = style == OptionStyle::command_line && !option.positional;
  return fmt::format("{}{}", is_flag ? "--" : "", printable(option.name));
}

std::string spelled(const ForeignOption& option, OptionStyle style) {
  std::string text = spelled_name(option, style);
  if (option.values.empty()) return text;
  const std::string values = fmt::format("{}", fmt::join(option.values, " "));
  const bool is_flag = style == OptionStyle::command_line && !option.positional;
  return fmt::format("{}{} {}", text, is_flag ? "" : ":",
                     values.empty() ? "\"\"" : printable(values, kShownValue));
}

std::vector<ForeignOption> read_yaml_options(std::string_view text, std::string_view where) {
  const nlohmann::json object = parse_nested_yaml(text, where);
  if (object.empty())
    throw DataError(fmt::format("{}: expected options, found an empty file", where));
  std::vector<ForeignOption> options;
  add_options(object, "", options);
  return options;
}

}  // namespace attend
