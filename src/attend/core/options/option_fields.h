// A struct of options as a list of named references, from which command-line flags, TOML files and
// JSON objects are made. The list comes from the struct's `fields` function (see
// core/options/options.h) and refers into the struct, which must outlive it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "attend/core/options/option_error.h"
#include "attend/core/options/options.h"

namespace attend {

// An enum option, type-erased: its names by value, a getter and a setter.
struct EnumReference {
  std::span<const std::string_view> names;
  void* location = nullptr;
  std::size_t (*get)(const void* location) = nullptr;
  void (*set)(void* location, std::size_t value) = nullptr;
};

using OptionReference = std::variant<bool*, int*, std::int64_t*, std::uint64_t*, float*, double*,
                                     std::string*, std::vector<std::string>*, EnumReference>;

struct OptionField {
  std::string name;  // in kebab-case
  std::string help;
  OptionReference value;
  NumberRange range{};  // for numbers
  bool experimental = false;

  // A list takes any number of values, all other types one.
  bool is_list() const { return std::holds_alternative<std::vector<std::string>*>(value); }
  bool is_flag() const { return std::holds_alternative<bool*>(value); }
  bool is_text() const { return std::holds_alternative<std::string*>(value) || is_list(); }
  bool is_number() const {
    return !is_flag() && !is_text() && !std::holds_alternative<EnumReference>(value);
  }
};

// Describes valid values, for messages and help: "true or false", "a whole number from 0 to 1024",
// "one of post, pre".
std::string expected_value(const OptionField& field);
// A value as typed after a flag: true, 512, 0.1, post; for lists all elements.
std::vector<std::string> option_values(const OptionField& field);
// Sets a value from typed text. Throws ConfigError "<where>: expected a whole number from 0 to
// 1024, got abc"; `where` names the option, and the line if it comes from a file.
void set_option(const OptionField& field, std::span<const std::string> values,
                const OptionText& where);
void set_option(const OptionField& field, std::span<const std::string> values,
                std::string_view where);

// snake_case to kebab-case, and back.
std::string kebab_case(std::string_view name);
std::string snake_case(std::string_view name);

// The field of that name, in either case; nullptr if there is none.
const OptionField* find_option(std::span<const OptionField> fields, std::string_view name);
std::vector<std::string> option_names(std::span<const OptionField> fields);
// Sets the option of that name, in either case. Throws ConfigError for an unknown name, with the
// nearest one in snake_case, and as set_option() does.
void set_option_named(std::span<const OptionField> fields, const std::string& name,
                      std::span<const std::string> values);

// The options as lines "name = value" of a TOML file, in order, which read back as the same values.
// `heading` becomes "[heading]" if not empty. Throws ConfigError for strings that are not UTF-8.
std::string to_toml(std::span<const OptionField> fields, std::string_view heading = "");

namespace detail {

struct OptionCollector {
  std::vector<OptionField>* fields;

  template <class T>
  void operator()(std::string_view name, T& reference, const OptionHelp& help) const {
    if constexpr (std::is_enum_v<T>) {
      static_assert(NamedEnum<T>, "an enum option needs a function enum_names");
      const EnumReference value{
          enum_names(reference), &reference,
          [](const void* at) { return static_cast<std::size_t>(*static_cast<const T*>(at)); },
          [](void* at, std::size_t index) { *static_cast<T*>(at) = static_cast<T>(index); }};
      fields->push_back({std::string(name), std::string(help.text), value, {}, help.experimental});
    } else {
      static_assert(std::is_same_v<T, bool> || !std::is_arithmetic_v<T>,
                    "a number needs a range: visit(name, reference, between(0, 10), help)");
      fields->push_back(
          {std::string(name), std::string(help.text), &reference, {}, help.experimental});
    }
  }

  template <class Number>
  void operator()(std::string_view name, Number& reference, const NumberRange& range,
                  const OptionHelp& help) const {
    fields->push_back(
        {std::string(name), std::string(help.text), &reference, range, help.experimental});
  }
};

// Without a list of the fields: requests are checked one by one.
struct RangeCheck {
  template <class T>
  void operator()(std::string_view, const T&, const OptionHelp&) const {
    static_assert(std::is_same_v<T, bool> || !std::is_arithmetic_v<T>, "a number needs a range");
  }
  template <class Number>
  void operator()(std::string_view name, const Number& number, const NumberRange& range,
                  const OptionHelp&) const {
    require_in_range(name, number, range);
  }
};

}  // namespace detail

template <class Options>
std::vector<OptionField> option_fields(Options& options) {
  std::vector<OptionField> list;
  fields(options, detail::OptionCollector{&list});
  return list;
}

// Options of one topic: a section of a configuration file and of the help.
struct OptionGroup {
  std::string name;
  std::vector<OptionField> fields;
};

// The groups of a struct whose function groups(options, visit) calls visit(name, part) for each of
// its parts. The fields refer to `options`.
template <class Options>
std::vector<OptionGroup> option_groups(Options& options) {
  std::vector<OptionGroup> list;
  groups(options, [&list](const char* name, auto& part) {
    list.push_back({name, option_fields(part)});
  });
  return list;
}

// Checks the numbers of a struct passed directly to the library, which have not been through
// set_option(). Throws ConfigError "<name>: expected ..., got ..." for the first one out of range.
template <class Options>
void check_options(const Options& options) {
  fields(const_cast<Options&>(options), detail::RangeCheck{});  // which changes nothing
}

template <class Options>
std::string to_toml(Options options, std::string_view heading = "") requires requires {
  fields(options, detail::OptionCollector{});
}
{ return to_toml(std::span<const OptionField>(option_fields(options)), heading); }

}  // namespace attend
