#include "attend/text/template_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attend/error.h"

namespace attend::detail {
namespace {

using Value = TemplateValue;
using Values = TemplateValues;

constexpr int kDeepestValue = 80;  // beyond JSON that is read (core/json.h)

std::size_t weight_within(const Value& value, int levels) {
  if (value.is_string()) return kWeightOfValue + value.get_ref<const std::string&>().size();
  if (!value.is_structured()) return kWeightOfValue;
  if (levels == 0) throw DataError("it makes a value that is nested too deeply");
  std::size_t weight = kWeightOfValue;
  for (auto one = value.begin(); one != value.end(); ++one)
    weight += weight_within(*one, levels - 1) + (value.is_object() ? one.key().size() : 0);
  return weight;
}

bool are_same(const Value& a, const Value& b) {
  if (a.is_discarded() || b.is_discarded()) return a.is_discarded() && b.is_discarded();
  return a == b;
}

bool holds(const Value& all, const Value& one) {
  if (all.is_string())
    return one.is_string() && all.get_ref<const std::string&>().find(
                                  one.get_ref<const std::string&>()) != std::string::npos;
  if (all.is_object()) return one.is_string() && all.contains(one.get_ref<const std::string&>());
  if (!all.is_array())
    throw DataError(
        fmt::format("in: expected a string, a list or an object, got {}", kind_of(all)));
  return std::any_of(all.begin(), all.end(), [&](const Value& v) { return are_same(v, one); });
}

Value calculated(std::string_view symbol, const Value& a, const Value& b) {
  if (!a.is_number() || !b.is_number())
    throw DataError(fmt::format("{}: cannot join {} and {}", symbol, kind_of(a), kind_of(b)));
  const double x = a, y = b;
  const bool whole = a.is_number_integer() && b.is_number_integer();
  if ((symbol == "/" || symbol == "//" || symbol == "%") && y == 0)
    throw DataError(fmt::format("{}: division by zero", symbol));
  const double result = symbol == "+"    ? x + y
                        : symbol == "-"  ? x - y
                        : symbol == "*"  ? x * y
                        : symbol == "/"  ? x / y
                        : symbol == "//" ? std::floor(x / y)
                                         : x - y * std::floor(x / y);
  if (whole && symbol != "/" && std::abs(result) < 1e15) return static_cast<std::int64_t>(result);
  return result;
}

Value sum_of(const Value& a, const Value& b) {
  if (a.is_string() && b.is_string()) return a.get<std::string>() + b.get<std::string>();
  if (!a.is_array() || !b.is_array()) return calculated("+", a, b);
  Value both = a;
  for (const Value& one : b) both.push_back(one);
  return both;
}

bool is_ordered(std::string_view symbol, const Value& a, const Value& b) {
  const bool comparable = (a.is_number() && b.is_number()) || (a.is_string() && b.is_string());
  if (!comparable)
    throw DataError(fmt::format("{}: cannot compare {} and {}", symbol, kind_of(a), kind_of(b)));
  if (symbol == "<") return a < b;
  if (symbol == ">") return b < a;
  return symbol == "<=" ? !(b < a) : !(a < b);
}

}  // namespace

void require_size(std::size_t bytes) {
  if (bytes > kLargestValue)
    throw DataError(fmt::format("it makes a value of more than {} bytes", kLargestValue));
}

std::size_t weight_of(const TemplateValue& value) {
  const std::size_t weight = weight_within(value, kDeepestValue);
  require_size(weight);
  return weight;
}

std::string_view kind_of(const TemplateValue& value) {
  if (value.is_discarded()) return "an undefined value";
  if (value.is_string()) return "a string";
  if (value.is_array()) return "a list";
  if (value.is_object()) return "an object";
  if (value.is_boolean()) return "a truth";
  return value.is_null() ? "none" : "a number";
}

std::vector<std::size_t> begins_of_characters(std::string_view text) {
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) begins.push_back(i);
  begins.push_back(text.size());
  return begins;
}

TemplateValue undefined_value() { return Value(Value::value_t::discarded); }

bool is_true(const TemplateValue& value) {
  if (value.is_discarded() || value.is_null()) return false;
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number()) return value.get<double>() != 0;
  if (value.is_string()) return !value.get_ref<const std::string&>().empty();
  return !value.empty();
}

std::string text_of_value(const TemplateValue& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_discarded()) return "";
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  if (value.is_null()) return "None";
  return json_of_value(value, -1);
}

// As Python writes JSON: a space after each comma and colon.
std::string json_of_value(const TemplateValue& value, int indent) {
  if (value.is_discarded()) throw DataError("tojson: the value is not defined");
  if (indent > 16) throw DataError("tojson: expected an indent of at most 16");
  if (indent >= 0 || !value.is_structured())
    return value.dump(indent, ' ', false, Value::error_handler_t::replace);
  std::string text;
  for (const auto& [key, one] : value.items()) {
    if (!text.empty()) text += ", ";
    if (value.is_object()) text += json_of_value(Value(key), indent) + ": ";
    text += json_of_value(one, indent);
  }
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

TemplateValue reversed_list(const TemplateValue& list) {
  Value reversed = list;
  std::reverse(reversed.begin(), reversed.end());
  return reversed;
}

TemplateValue combined(std::string_view symbol, const TemplateValue& a, const TemplateValue& b) {
  if (symbol == "==") return are_same(a, b);
  if (symbol == "!=") return !are_same(a, b);
  if (symbol == "in") return holds(b, a);
  if (symbol == "~") return text_of_value(a) + text_of_value(b);
  if (symbol == "+") return sum_of(a, b);
  if (symbol == "<" || symbol == ">" || symbol == "<=" || symbol == ">=")
    return is_ordered(symbol, a, b);
  return calculated(symbol, a, b);
}

const TemplateValue& member_of(const TemplateValue& object, const TemplateValue& key) {
  static const Value undefined = undefined_value();
  if (object.is_discarded())
    throw DataError(fmt::format("{}: of a value that is not defined", text_of_value(key)));
  if (object.is_object() && key.is_string()) {
    const auto found = object.find(key.get_ref<const std::string&>());
    return found == object.end() ? undefined : *found;
  }
  if (!object.is_array() || !key.is_number_integer()) return undefined;
  const auto size = static_cast<std::int64_t>(object.size());
  const std::int64_t index = key.get<std::int64_t>() + (key < 0 ? size : 0);
  return index >= 0 && index < size ? object[static_cast<std::size_t>(index)] : undefined;
}

TemplateValue slice_of(const TemplateValue& object, const TemplateValues& bounds) {
  const bool is_text = object.is_string();
  if (!is_text && !object.is_array())
    throw DataError(fmt::format("a slice: expected a list or a string, got {}", kind_of(object)));
  const std::int64_t step = bounds[2].is_number_integer() ? bounds[2].get<std::int64_t>() : 1;
  const std::string text = is_text ? object.get<std::string>() : "";
  const std::vector<std::size_t> characters = begins_of_characters(text);
  const auto size = is_text ? std::ssize(characters) - 1 : static_cast<std::int64_t>(object.size());
  if (step != 1 && (step != -1 || is_text)) throw DataError("a slice: expected a step of 1 or -1");
  const auto bound = [&](const Value& given, std::int64_t usual) {
    if (!given.is_number_integer()) return usual;
    const std::int64_t value = given.get<std::int64_t>();
    return std::clamp(value < 0 ? value + size : value, std::int64_t{0}, size);
  };
  if (step == -1 && (bounds[0].is_number() || bounds[1].is_number()))
    throw DataError("a slice: expected no bounds with a step of -1");
  const std::int64_t first = bound(bounds[0], 0), last = std::max(first, bound(bounds[1], size));
  if (is_text) {
    const std::size_t begin = characters[static_cast<std::size_t>(first)];
    return text.substr(begin, characters[static_cast<std::size_t>(last)] - begin);
  }
  if (step == -1) return reversed_list(object);
  return Value(object.begin() + first, object.begin() + last);
}

}  // namespace attend::detail
