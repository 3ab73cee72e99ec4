// Operators, truth and equality as Python has them. Private to text/.
#pragma once

#include <string_view>

#include "attend/text/chat_template/run.h"

namespace attend::chat_template {

bool is_true(Run& run, const Value& value);
bool are_equal(Run& run, const Value& a, const Value& b);
// a < b. Throws DataError for values that Python does not compare.
bool is_less(Run& run, const Value& a, const Value& b);
// a OP b for == != < > <= >= in "not in".
bool compared(Run& run, std::string_view symbol, const Value& a, const Value& b);
// a OP b for + - * / // % **.
Value calculated(Run& run, std::string_view symbol, const Value& a, const Value& b);
Value negated(const Value& value, bool is_positive);
// Throws DataError for a sum beyond 64 bits.
std::int64_t whole_sum(std::int64_t a, std::int64_t b);

// The member of an object; nullptr if there is none. Throws DataError for a key that Python does
// not accept.
const Value* member_of(Run& run, const Value& dict, const Value& key);
// Lists and objects are no keys, nor are tuples with them.
bool is_hashable(const Value& value);
void put(Run& run, Items& items, Value key, Value value);

// value.name, value[key], value[first:last:step]: undefined if there is none, a method if there is.
Value attribute_of(Run& run, const Value& value, std::string_view name);
Value item_of(Run& run, const Value& value, const Value& key);
// attribute_of() for what is no member of an object; missing if Python has none.
Value own_attribute(Run& run, const Value& value, std::string_view name);
Value slice_of(Run& run, const Value& value, const Values& bounds);

}  // namespace attend::chat_template
