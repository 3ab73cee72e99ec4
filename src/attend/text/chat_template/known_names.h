// The names of Jinja: filters, tests, attributes of Python's types. Private to text/.
#pragma once

#include <string_view>

#include "attend/text/chat_template/value.h"

namespace attend::chat_template {

// Whether Jinja has it, also if it is not supported.
bool is_filter_name(std::string_view name);
bool is_test_name(std::string_view name);

// The method or property of a value of that kind, as a view that lasts; empty if Python has none.
std::string_view attribute_name(const Value& value, std::string_view name);
// Whether it changes a list or an object, which templates may not.
bool is_changing(const Value& value, std::string_view name);

}  // namespace attend::chat_template
