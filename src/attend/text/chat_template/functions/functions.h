// Filters, tests, methods and functions of templates. Private to text/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "attend/text/chat_template/bound.h"
#include "attend/text/chat_template/run.h"

namespace attend::chat_template {

// value | name(arguments). Throws DataError for a filter that is not known.
Value filtered(Run& run, std::string_view name, const Value& value, const Given& given);
// value is name(arguments).
bool passes_test(Run& run, std::string_view name, const Value& value, const Given& given);
// function(arguments), for what a template can call, macros apart.
Value function_result(Run& run, const Value& function, const Given& given);
// What templates call by this name, such as range; missing if there is nothing.
Value global_function(std::string_view name);

// A filter: its parameters, how many are required, and what it does.
struct Filter {
  std::string_view name, parameters;
  std::size_t required;
  Value (*apply)(Run& run, const Value& value, const Bound& bound);
};
const Filter* text_filter(std::string_view name);
const Filter* number_filter(std::string_view name);
const Filter* list_filter(std::string_view name);
// Calls a function that applies others: map, select, reject and their kind; missing for other
// names.
Value chosen(Run& run, std::string_view name, const Value& value, const Given& given);

// The way to an attribute of a value: "a.b.0".
class AttributePath {
 public:
  explicit AttributePath(Run& run, const Value& attribute);
  // otherwise: for every part that is not defined, unless it is missing.
  Value of(Run& run, Value value, const Value& otherwise) const;

 private:
  Values parts_;
};

// With texts in lower case, unless case matters.
Value sort_key(Run& run, const Value& value, bool has_case);

}  // namespace attend::chat_template
