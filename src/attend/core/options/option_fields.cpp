#include "attend/core/options/option_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "attend/core/options/nearest_name.h"
#include "attend/core/options/option_error.h"
#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/error.h"

namespace attend {
namespace {

template <class... Cases>
struct Overload : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overload(Cases...) -> Overload<Cases...>;

// TOML accepts 1_000_000, and so do flags.
template <class Number>
bool read_number(std::string text, Number& number) {
  const auto digit = [&](std::size_t i) {
    return i < text.size() && text[i] >= '0' && text[i] <= '9';
  };
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '_' && digit(i - 1) && digit(i + 1)) text.erase(i, 1);
  }
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.erase(0, 1);
  const auto read = [&text](auto& target) {
    const char* const end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, target);
    return result.ec == std::errc() && result.ptr == end;
  };
  if (read(number)) return true;
  if constexpr (std::is_integral_v<Number>) {      // 3.0 and 1e6 are whole numbers, too
    constexpr double kExact = 9007199254740992.0;  // 2^53
    double value = 0;
    if (!read(value) || !(std::abs(value) <= kExact) || std::trunc(value) != value) return false;
    if (value < static_cast<double>(std::numeric_limits<Number>::min()) ||
        value > static_cast<double>(std::numeric_limits<Number>::max()))
      return false;
    number = static_cast<Number>(value);
    return true;
  }
  return false;
}

// A seed with a sign is the unsigned number with the same bits, as in PyTorch.
bool read_number(const std::string& text, const NumberRange& range, std::uint64_t& number) {
  std::int64_t negative = 0;
  if (!range.is_open() || !text.starts_with('-')) return read_number(text, number);
  if (!read_number(text, negative)) return false;
  number = static_cast<std::uint64_t>(negative);
  return true;
}
template <class Number>
bool read_number(const std::string& text, const NumberRange&, Number& number) {
  return read_number(text, number);
}

bool read_bool(const std::string& text, bool& value) {
  static constexpr std::string_view kTrue[] = {"true", "yes", "on", "1"},
                                    kFalse[] = {"false", "no", "off", "0"};
  if (std::find(std::begin(kTrue), std::end(kTrue), text) != std::end(kTrue)) return value = true;
  if (std::find(std::begin(kFalse), std::end(kFalse), text) == std::end(kFalse)) return false;
  value = false;
  return true;
}

bool read_enum(const EnumReference& reference, const std::string& text) {
  const auto same = [&](std::string_view name) {
    return name == text || kebab_case(name) == kebab_case(text);
  };
  const auto name = std::find_if(reference.names.begin(), reference.names.end(), same);
  if (name == reference.names.end()) return false;
  reference.set(reference.location, static_cast<std::size_t>(name - reference.names.begin()));
  return true;
}

// Sets nothing unless all of the text is a value in range. Numbers from 0 take no sign: "-0" is not
// a number of threads.
bool read_value(const OptionField& field, const std::string& text) {
  const auto number = [&](auto* target) {
    auto value = *target;
    if (!read_number(text, field.range, value) || !field.range.contains(value)) return false;
    if (text.starts_with('-') && field.range.least >= 0 && !field.range.is_open()) return false;
    *target = value;
    return true;
  };
  return std::visit(
      Overload{[&](bool* target) { return read_bool(text, *target); },
               [&](std::string* target) {
                 *target = text;
                 return true;
               },
               [](std::vector<std::string>*) { return false; },
               [&](const EnumReference& reference) { return read_enum(reference, text); }, number},
      field.value);
}

// The shortest text that reads back as the same number.
template <class Float>
std::string float_text(Float value) {
  std::string text = fmt::format("{}", value);
  return std::isfinite(value) && text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

// As a TOML basic string: escapes delimiters, invisible characters and terminal control sequences.
std::string quoted(const std::string& text, const std::string& name) {
  if (!is_utf8(text))
    throw ConfigError(fmt::format(
        "{}: expected text in UTF-8, which is all that a configuration file can hold, got {}", name,
        quote(text)));
  std::string out = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = next_code_point(text, at);
    const std::string_view bytes = std::string_view(text).substr(begin, at - begin);
    if (c == '"' || c == '\\') {
      out += fmt::format("\\{}", bytes);
    } else if (printable(bytes) != bytes) {
      out += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    } else {
      out += bytes;
    }
  }
  return out + '"';
}

std::string toml_value(const OptionField& field) {
  std::vector<std::string> values = option_values(field);
  const auto* whole = std::get_if<std::uint64_t*>(&field.value);
  const bool too_large =
      whole != nullptr &&
      **whole > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());  // for TOML
  const bool is_string =
      field.is_text() || std::holds_alternative<EnumReference>(field.value) || too_large;
  for (std::string& value : values) value = is_string ? quoted(value, field.name) : value;
  return field.is_list() ? fmt::format("[{}]", fmt::join(values, ", ")) : values.front();
}

}  // namespace

std::string expected_value(const OptionField& field) {
  return std::visit(
      Overload{[](bool*) { return std::string("true or false"); },
               [](std::string*) { return std::string("a string"); },
               [](std::vector<std::string>*) { return std::string("a list of strings"); },
               [](const EnumReference& reference) {
                 return fmt::format(
                     "one of {}", fmt::join(reference.names.begin(), reference.names.end(), ", "));
               },
               [&]<class Number>(Number*) {
                 return expected_number(field.range, std::is_integral_v<Number>);
               }},
      field.value);
}

std::vector<std::string> option_values(const OptionField& field) {
  using Values = std::vector<std::string>;
  return std::visit(
      Overload{[](bool* value) { return Values{*value ? "true" : "false"}; },
               [](std::string* value) { return Values{*value}; },
               [](Values* value) { return *value; },
               [](const EnumReference& reference) {
                 return Values{std::string(reference.names[reference.get(reference.location)])};
               },
               [](float* value) { return Values{float_text(*value)}; },
               [](double* value) { return Values{float_text(*value)}; },
               [](auto* value) { return Values{fmt::format("{}", *value)}; }},
      field.value);
}

void set_option(const OptionField& field, std::span<const std::string> values,
                std::string_view where) {
  set_option(field, values, OptionText{std::string(where), std::string(where)});
}

void set_option(const OptionField& field, std::span<const std::string> values,
                const OptionText& where) {
  if (auto* const* list = std::get_if<std::vector<std::string>*>(&field.value)) {
    (*list)->assign(values.begin(), values.end());
    return;
  }
  if (values.size() != 1)
    throw OptionError<ConfigError>("{}: expected {}, got {} values", where, expected_value(field),
                                   values.size());
  if (!read_value(field, values.front())) {
    throw OptionError<ConfigError>("{}: expected {}, got {}", where, expected_value(field),
                                   values.front().empty() ? "nothing" : printable(values.front()));
  }
}

std::string kebab_case(std::string_view name) {
  std::string out(name);
  std::replace(out.begin(), out.end(), '_', '-');
  return out;
}

std::string snake_case(std::string_view name) {
  std::string out(name);
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

const OptionField* find_option(std::span<const OptionField> fields, std::string_view name) {
  const std::string kebab = kebab_case(name);
  const auto field = std::find_if(fields.begin(), fields.end(),
                                  [&](const OptionField& f) { return f.name == kebab; });
  return field == fields.end() ? nullptr : &*field;
}

std::vector<std::string> option_names(std::span<const OptionField> fields) {
  std::vector<std::string> names;
  for (const OptionField& field : fields) names.push_back(field.name);
  return names;
}

void set_option_named(std::span<const OptionField> fields, const std::string& name,
                      std::span<const std::string> values) {
  if (const OptionField* field = find_option(fields, name)) return set_option(*field, values, name);
  std::vector<std::string> names;
  for (const OptionField& known : fields) names.push_back(snake_case(known.name));
  throw ConfigError(fmt::format("unknown option {}{}", quote(name), did_you_mean(name, names)));
}

std::string to_toml(std::span<const OptionField> fields, std::string_view heading) {
  std::string out = heading.empty() ? std::string() : fmt::format("[{}]\n", heading);
  for (const OptionField& field : fields)
    out += fmt::format("{} = {}\n", field.name, toml_value(field));
  return out;
}

}  // namespace attend
