// JSON as text.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace attend {

// Valid for any bytes: invalid UTF-8 becomes U+FFFD. `indent` as in nlohmann's dump().
std::string json_text(const nlohmann::json& json, int indent = -1);
std::string json_text(const nlohmann::ordered_json& json, int indent = -1);

// A float as a number whose text has the digits of a float, not those of the same number as a
// double: 0.1 instead of 0.10000000149011612.
double json_number(float value);

}  // namespace attend
