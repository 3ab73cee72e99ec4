// What expressions of a template compute with: values, filters, tests and methods. Private to
// text/.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace attend::detail {

// A value that is not defined is Json::value_t::discarded.
using TemplateValue = nlohmann::ordered_json;
using TemplateValues = std::vector<TemplateValue>;

// Of a text in bytes, of lists and objects with kWeightOfValue for each value.
inline constexpr std::size_t kLargestValue = 8 << 20, kWeightOfValue = 32;
// Throw DataError for more than kLargestValue; weight_of() also for a value that is nested deeply.
void require_size(std::size_t bytes);
std::size_t weight_of(const TemplateValue& value);

TemplateValue undefined_value();
// "a list", for messages.
std::string_view kind_of(const TemplateValue& value);
// Where the characters of a text begin, and its end.
std::vector<std::size_t> begins_of_characters(std::string_view text);
TemplateValue reversed_list(const TemplateValue& list);
bool is_true(const TemplateValue& value);
// As {{ }} writes it. Throws DataError for a value that is not defined, a list or an object.
std::string text_of_value(const TemplateValue& value);
std::string json_of_value(const TemplateValue& value, int indent);

// a OP b for + - * / // % ~ == != < > <= >= in. Throws DataError for values that it cannot join.
TemplateValue combined(std::string_view symbol, const TemplateValue& a, const TemplateValue& b);
// a[b], a.b; undefined if there is no such member. Counts from the end for negative numbers.
const TemplateValue& member_of(const TemplateValue& object, const TemplateValue& key);
// a[first:last:step]; each may be undefined.
TemplateValue slice_of(const TemplateValue& object, const TemplateValues& bounds);

// value | name(arguments). Throws DataError for a filter that is not known.
TemplateValue filtered(std::string_view name, const TemplateValue& value,
                       const TemplateValues& arguments);
// value is name(arguments).
bool passes_test(std::string_view name, const TemplateValue& value,
                 const TemplateValues& arguments);
// value.name(arguments).
TemplateValue method_result(std::string_view name, const TemplateValue& value,
                            const TemplateValues& arguments);

bool is_known_filter(std::string_view name);
bool is_known_test(std::string_view name);
bool is_known_method(std::string_view name);

}  // namespace attend::detail
