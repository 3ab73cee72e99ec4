#include "attend/checkpoint/options_json.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/core/json/json.h"
#include "attend/core/json/json_text.h"
#include "attend/core/options/nearest_name.h"
#include "attend/error.h"

namespace attend {
namespace {

using Json = nlohmann::ordered_json;

Json value_json(const OptionField& field) {
  return std::visit(
      []<class T>(const T& value) -> Json {
        if constexpr (std::is_same_v<T, EnumReference>) {
          return value.names[value.get(value.location)];
        } else if constexpr (std::is_same_v<T, float*>) {
          return json_number(*value);
        } else {
          return *value;
        }
      },
      field.value);
}

bool has_type(const Json& value, const OptionField& field) {
  return std::visit(
      [&]<class T>(const T&) {
        if constexpr (std::is_same_v<T, bool*>) return value.is_boolean();
        if constexpr (std::is_same_v<T, float*> || std::is_same_v<T, double*>)
          return value.is_number();
        if constexpr (std::is_same_v<T, std::string*> || std::is_same_v<T, EnumReference>)
          return value.is_string();
        if constexpr (std::is_same_v<T, std::vector<std::string>*>) {
          return value.is_array() && std::all_of(value.begin(), value.end(),
                                                 [](const Json& item) { return item.is_string(); });
        }
        return value.is_number_integer();
      },
      field.value);
}

// The value as text for set_option, which also checks ranges and names.
std::vector<std::string> value_texts(const Json& value) {
  if (value.is_array()) return value.get<std::vector<std::string>>();
  return {value.is_string() ? value.get<std::string>() : value.dump()};
}

Json parse_object(std::string_view text, std::string_view where) {
  Json json = parse_json(text, where);
  if (!json.is_object())
    throw DataError(fmt::format("{}: expected options as a JSON object", where));
  return json;
}

}  // namespace

Json options_json(std::span<const OptionField> fields) {
  Json json = Json::object();
  for (const OptionField& field : fields) json[snake_case(field.name)] = value_json(field);
  return json;
}

std::string write_options_json(std::span<const OptionField> fields) {
  return options_json(fields).dump(
      -1, ' ', false, Json::error_handler_t::replace);  // paths need not be UTF-8, JSON must be
}

void read_options_json(std::span<const OptionField> fields, std::string_view text,
                       std::string_view where) {
  const Json json = parse_object(text, where);
  for (const auto& [key, value] : json.items()) {
    const OptionField* field = find_option(fields, key);
    if (field == nullptr) {
      throw DataError(fmt::format("{}: unknown option {}{}", where, key,
                                  did_you_mean(key, option_names(fields))));
    }
    if (!has_type(value, *field)) {
      throw DataError(fmt::format("{}: {}: expected {}, got {}", where, key, expected_value(*field),
                                  value.dump()));
    }
    try {
      set_option(*field, value_texts(value), fmt::format("{}: {}", where, key));
    } catch (const ConfigError& error) {
      throw DataError(error.what());
    }
  }
}

}  // namespace attend
