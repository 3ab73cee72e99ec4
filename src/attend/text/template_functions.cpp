#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "attend/core/quote.h"
#include "attend/error.h"
#include "attend/text/template_values.h"

namespace attend::detail {
namespace {

using Value = TemplateValue;
using Values = TemplateValues;

constexpr std::string_view kBlanks = " \t\n\r\f\v";

const std::string& string_of(const Value& value, std::string_view what) {
  if (!value.is_string())
    throw DataError(fmt::format("{}: expected a string, got {}", what, kind_of(value)));
  return value.get_ref<const std::string&>();
}

std::string trimmed(std::string_view text, std::string_view blanks, bool left, bool right) {
  if (left) text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  if (right) text = text.substr(0, text.find_last_not_of(blanks) + 1);
  return std::string(text);
}

// Of ASCII letters.
std::string in_case(std::string text, bool upper) {
  for (char& c : text) {
    if (upper && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    if (!upper && c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

std::string replaced(const std::string& text, const std::string& from, const std::string& to) {
  if (from.empty()) return text;
  std::string result;
  std::size_t begin = 0;
  for (std::size_t at; (at = text.find(from, begin)) != text.npos; begin = at + from.size()) {
    result.append(text, begin, at - begin).append(to);
    require_size(result.size());
  }
  return result.append(text, begin);
}

// On white space without a separator.
Value split(const std::string& text, const Values& arguments) {
  Value parts = Value::array();
  const auto add_part = [&](std::string part) {
    require_size(parts.size() * kWeightOfValue);
    parts.push_back(std::move(part));
  };
  if (arguments.empty()) {
    for (std::size_t at = 0; (at = text.find_first_not_of(kBlanks, at)) != text.npos;) {
      const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
      add_part(text.substr(at, end - at));
      at = end;
    }
    return parts;
  }
  const std::string& separator = string_of(arguments[0], "split");
  if (separator.empty()) throw DataError("split: expected a separator");
  const bool is_limited =
      arguments.size() > 1 && arguments[1].is_number_integer() && arguments[1] >= 0;
  const std::size_t most = is_limited ? arguments[1].get<std::size_t>() : text.npos;
  std::size_t begin = 0;
  for (std::size_t end; parts.size() < most && (end = text.find(separator, begin)) != text.npos;
       begin = end + separator.size())
    add_part(text.substr(begin, end - begin));
  add_part(text.substr(begin));
  return parts;
}

std::int64_t length_of(const Value& value) {
  if (value.is_string())
    return std::ssize(begins_of_characters(value.get_ref<const std::string&>())) - 1;
  if (value.is_array() || value.is_object()) return static_cast<std::int64_t>(value.size());
  throw DataError(
      fmt::format("length: expected a string, a list or an object, got {}", kind_of(value)));
}

Value items_of(const Value& value) {
  if (!value.is_object()) throw DataError("items: expected an object");
  Value pairs = Value::array();
  for (const auto& [key, one] : value.items()) pairs.push_back(Value::array({key, one}));
  return pairs;
}

Value joined(const Value& list, const Values& arguments) {
  if (!list.is_array()) throw DataError("join: expected a list");
  std::string text;
  for (std::size_t i = 0; i < list.size(); ++i) {
    text +=
        (i > 0 && !arguments.empty() ? text_of_value(arguments[0]) : "") + text_of_value(list[i]);
    require_size(text.size());
  }
  return text;
}

Value end_of_list(const Value& list, bool first) {
  if (!list.is_array()) throw DataError("first and last: expected a list");
  if (list.empty()) return undefined_value();
  return first ? list.front() : list.back();
}

template <class Function>
struct Named {
  std::string_view name;
  Function function;
};
using Filter = Value (*)(const Value& value, const Values& arguments);
using Test = bool (*)(const Value& value, const Values& arguments);

Value in_list(const Value& value, const Values&) {
  if (value.is_array()) return value;
  if (!value.is_object()) throw DataError("list: expected a list or an object");
  Value names = Value::array();
  for (const auto& [key, one] : value.items()) names.push_back(key);
  return names;
}

constexpr std::array<Named<Filter>, 17> kFilters{{
    {"trim",
     [](const Value& v, const Values&) -> Value {
       return trimmed(string_of(v, "trim"), kBlanks, true, true);
     }},
    {"length", [](const Value& v, const Values&) -> Value { return length_of(v); }},
    {"count", [](const Value& v, const Values&) -> Value { return length_of(v); }},
    {"upper",
     [](const Value& v, const Values&) -> Value { return in_case(string_of(v, "upper"), true); }},
    {"lower",
     [](const Value& v, const Values&) -> Value { return in_case(string_of(v, "lower"), false); }},
    {"tojson",
     [](const Value& v, const Values& a) -> Value {
       return json_of_value(v, a.empty() || !a[0].is_number_integer() ? -1 : a[0].get<int>());
     }},
    {"string", [](const Value& v, const Values&) -> Value { return text_of_value(v); }},
    {"safe", [](const Value& v, const Values&) -> Value { return v; }},
    {"default",
     [](const Value& v, const Values& a) -> Value {
       const bool also_false = a.size() > 1 && is_true(a[1]);
       const bool is_missing = v.is_discarded() || (also_false && !is_true(v));
       return is_missing ? (a.empty() ? Value("") : a[0]) : v;
     }},
    {"join", joined},
    {"first", [](const Value& v, const Values&) { return end_of_list(v, true); }},
    {"last", [](const Value& v, const Values&) { return end_of_list(v, false); }},
    {"list", in_list},
    {"items", [](const Value& v, const Values&) { return items_of(v); }},
    {"replace",
     [](const Value& v, const Values& a) -> Value {
       if (a.size() < 2) throw DataError("replace: expected two strings");
       return replaced(string_of(v, "replace"), string_of(a[0], "replace"),
                       string_of(a[1], "replace"));
     }},
    {"int",
     [](const Value& v, const Values&) -> Value {
       const double number = v.is_number() ? v.get<double>() : 0;
       return std::abs(number) < 1e15 ? static_cast<std::int64_t>(number) : std::int64_t{0};
     }},
    {"reverse",
     [](const Value& v, const Values&) -> Value {
       if (!v.is_array()) throw DataError("reverse: expected a list");
       return reversed_list(v);
     }},
}};

constexpr std::array<Named<Test>, 14> kTests{{
    {"defined", [](const Value& v, const Values&) { return !v.is_discarded(); }},
    {"undefined", [](const Value& v, const Values&) { return v.is_discarded(); }},
    {"none", [](const Value& v, const Values&) { return v.is_null(); }},
    {"string", [](const Value& v, const Values&) { return v.is_string(); }},
    {"number", [](const Value& v, const Values&) { return v.is_number(); }},
    {"integer", [](const Value& v, const Values&) { return v.is_number_integer(); }},
    {"boolean", [](const Value& v, const Values&) { return v.is_boolean(); }},
    {"true", [](const Value& v, const Values&) { return v == true; }},
    {"false", [](const Value& v, const Values&) { return v == false; }},
    {"mapping", [](const Value& v, const Values&) { return v.is_object(); }},
    {"sequence", [](const Value& v, const Values&) { return v.is_array() || v.is_string(); }},
    {"iterable", [](const Value& v, const Values&) { return v.is_structured() || v.is_string(); }},
    {"odd", [](const Value& v,
               const Values&) { return v.is_number_integer() && v.get<std::int64_t>() % 2 != 0; }},
    {"even", [](const Value& v,
                const Values&) { return v.is_number_integer() && v.get<std::int64_t>() % 2 == 0; }},
}};

bool begins_or_ends(const Value& v, const Values& a, bool begins) {
  const std::string& text = string_of(v, "startswith");
  if (a.empty()) throw DataError("startswith: expected a string");
  const auto does = [&](const Value& part) {
    const std::string& own = string_of(part, "startswith");
    return begins ? text.starts_with(own) : text.ends_with(own);
  };
  return a[0].is_array() ? std::any_of(a[0].begin(), a[0].end(), does) : does(a[0]);
}

Value stripped(const Value& v, const Values& a, bool left, bool right) {
  return trimmed(string_of(v, "strip"), a.empty() ? kBlanks : string_of(a[0], "strip"), left,
                 right);
}

constexpr std::array<Named<Filter>, 14> kMethods{{
    {"strip", [](const Value& v, const Values& a) { return stripped(v, a, true, true); }},
    {"lstrip", [](const Value& v, const Values& a) { return stripped(v, a, true, false); }},
    {"rstrip", [](const Value& v, const Values& a) { return stripped(v, a, false, true); }},
    {"split", [](const Value& v, const Values& a) { return split(string_of(v, "split"), a); }},
    {"startswith",
     [](const Value& v, const Values& a) -> Value { return begins_or_ends(v, a, true); }},
    {"endswith",
     [](const Value& v, const Values& a) -> Value { return begins_or_ends(v, a, false); }},
    {"upper", [](const Value& v, const Values& a) { return filtered("upper", v, a); }},
    {"lower", [](const Value& v, const Values& a) { return filtered("lower", v, a); }},
    {"title",
     [](const Value& v, const Values&) -> Value {
       std::string text = in_case(string_of(v, "title"), false);
       for (std::size_t i = 0; i < text.size(); ++i)
         if (i == 0 || kBlanks.find(text[i - 1]) != kBlanks.npos)
           text[i] = in_case(std::string(1, text[i]), true)[0];
       return text;
     }},
    {"replace", [](const Value& v, const Values& a) { return filtered("replace", v, a); }},
    {"items", [](const Value& v, const Values&) { return items_of(v); }},
    {"keys", in_list},
    {"get",
     [](const Value& v, const Values& a) -> Value {
       if (a.empty()) throw DataError("get: expected a name");
       const Value found = member_of(v, a[0]);
       return found.is_discarded() ? (a.size() > 1 ? a[1] : Value()) : found;
     }},
    {"join",
     [](const Value& v, const Values& a) -> Value {
       if (a.empty()) throw DataError("join: expected a list");
       return joined(a[0], {v});
     }},
}};

template <class List>
auto found_in(const List& list, std::string_view name) {
  return std::find_if(list.begin(), list.end(), [&](const auto& one) { return one.name == name; });
}

template <class List>
auto function_in(const List& list, std::string_view name, std::string_view what) {
  const auto found = found_in(list, name);
  if (found == list.end())
    throw DataError(fmt::format("the {} {} is not supported", what, quote(name)));
  return found->function;
}

}  // namespace

TemplateValue filtered(std::string_view name, const TemplateValue& value,
                       const TemplateValues& arguments) {
  return function_in(kFilters, name, "filter")(value, arguments);
}

bool passes_test(std::string_view name, const TemplateValue& value,
                 const TemplateValues& arguments) {
  return function_in(kTests, name, "test")(value, arguments);
}

TemplateValue method_result(std::string_view name, const TemplateValue& value,
                            const TemplateValues& arguments) {
  return function_in(kMethods, name, "method")(value, arguments);
}

bool is_known_filter(std::string_view name) { return found_in(kFilters, name) != kFilters.end(); }
bool is_known_test(std::string_view name) { return found_in(kTests, name) != kTests.end(); }
bool is_known_method(std::string_view name) { return found_in(kMethods, name) != kMethods.end(); }

}  // namespace attend::detail
