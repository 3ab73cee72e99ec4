#include "attend/core/options/config_file.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "attend/core/files/lines.h"
#include "attend/core/options/nearest_name.h"
#include "attend/core/options/toml_nesting.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"

namespace attend {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;
constexpr std::size_t kShownPath = 4096;

// Applies the checks of any text.
std::string read_text(const std::filesystem::path& path) {
  LineReader reader(path.string());
  std::string text;
  for (std::string line; reader.next(line);) {
    text += line + '\n';
    if (text.size() > kMostBytes)
      throw ConfigError(fmt::format("{}: expected a configuration of at most {} MiB, got more",
                                    reader.where(), kMostBytes >> 20));
  }
  return text;
}

toml::table parse(const std::string& text, const std::string& name) {
  if (const std::int64_t line = line_nested_too_deep(text); line > 0)
    throw ConfigError(
        fmt::format("{}:{}: expected keys of at most {} parts, and at most {} open brackets", name,
                    line, kMostKeyParts, kMostBrackets));
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw ConfigError(
        fmt::format("{}:{}: {}", name, error.source().begin.line, printable(error.description())));
  }
}

struct ConfigEntry {
  std::string key;  // as written, without its section
  const toml::node* value;
  toml::source_position at;
};

// Collects the keys with values of all sections.
void collect(const toml::table& table, std::vector<ConfigEntry>& entries) {
  for (const auto& [key, value] : table) {
    if (const toml::table* section = value.as_table()) {
      collect(*section, entries);
    } else {
      entries.push_back({std::string(key.str()), &value, key.source().begin});
    }
  }
}

std::vector<ConfigEntry> entries_in_order(const toml::table& table) {
  std::vector<ConfigEntry> entries;
  collect(table, entries);
  std::stable_sort(entries.begin(), entries.end(), [](const ConfigEntry& a, const ConfigEntry& b) {
    return std::tie(a.at.line, a.at.column) < std::tie(b.at.line, b.at.column);
  });
  return entries;
}

// A value as typed after a flag; nullopt if the option does not take its type.
std::optional<std::string> typed_value(const toml::node& value, const OptionField& field) {
  const bool is_choice = std::holds_alternative<EnumReference>(field.value);
  const bool is_real =
      std::holds_alternative<float*>(field.value) || std::holds_alternative<double*>(field.value);
  const bool is_unsigned = std::holds_alternative<std::uint64_t*>(field.value);
  const bool is_whole = !field.is_text() && !is_choice && !field.is_flag() && !is_real;
  if (const auto* text = value.as_string(); text && (field.is_text() || is_choice || is_unsigned))
    return text->get();
  if (const auto* truth = value.as_boolean(); truth && field.is_flag())
    return truth->get() ? "true" : "false";
  if (const auto* number = value.as_integer();
      number && (is_whole || is_real || (field.is_text() && !field.is_list())))
    return fmt::format("{}", number->get());
  if (const auto* number = value.as_floating_point();
      number && (is_real || (is_whole && std::trunc(number->get()) == number->get())))
    return fmt::format("{}", number->get());
  return std::nullopt;
}

// Describes a value of the wrong type.
std::string description(const toml::node& value) {
  if (const auto* text = value.as_string()) return "the string " + quote(text->get());
  if (const auto* truth = value.as_boolean()) return truth->get() ? "true" : "false";
  if (const auto* number = value.as_integer()) return fmt::format("the number {}", number->get());
  if (const auto* number = value.as_floating_point())
    return fmt::format("the number {:#}", number->get());
  if (const auto* list = value.as_array()) return fmt::format("a list of {}", list->size());
  return value.is_table() ? "a table" : "a date or a time";
}

std::vector<std::string> typed_values(const toml::node& value, const OptionField& field,
                                      const std::string& where) {
  std::vector<std::string> values;
  const auto add = [&](const toml::node& element) {
    const auto typed = typed_value(element, field);
    if (!typed)
      throw ConfigError(fmt::format("{}: expected {}, got {}", where, expected_value(field),
                                    description(element)));
    values.push_back(*typed);
  };
  const toml::array* list = value.as_array();
  if (list == nullptr || !field.is_list()) {
    add(value);
  } else {
    for (const toml::node& element : *list) add(element);
  }
  return values;
}

}  // namespace

std::vector<std::string> apply_config_file(const std::filesystem::path& path,
                                           std::span<const OptionField> fields) {
  const std::string name = printable(path.native(), kShownPath);
  const toml::table table = parse(read_text(path), name);
  std::vector<std::string> names;
  std::map<std::string, toml::source_index> lines;  // by name
  for (const ConfigEntry& entry : entries_in_order(table)) {
    const std::string where = fmt::format("{}:{}", name, entry.at.line), key = printable(entry.key);
    if (entry.value->is_array_of_tables())
      throw ConfigError(
          fmt::format("{}: expected [{}] to begin a section, got [[{}]]", where, key, key));
    const OptionField* field = find_option(fields, entry.key);
    if (field == nullptr)
      throw ConfigError(fmt::format("{}: unknown key {}{}", where, key,
                                    did_you_mean(entry.key, option_names(fields))));
    const auto [first, unique] = lines.emplace(field->name, entry.at.line);
    if (!unique)
      throw ConfigError(fmt::format("{}: {} is set twice, first on line {}; keep one of them",
                                    where, key, first->second));
    const std::string of_key = fmt::format("{}: {}", where, key);
    set_option(*field, typed_values(*entry.value, *field, of_key), of_key);
    names.push_back(field->name);
  }
  return names;
}

}  // namespace attend
