// Values as text: as {{ }} writes them, as Python shows them, as JSON. Private to text/.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "attend/text/chat_template/run.h"

namespace attend::chat_template {

// str(value) and repr(value) in Python.
std::string text_of(Run& run, const Value& value);
std::string shown(Run& run, const Value& value);
std::string shown_text(std::string_view text);
std::string shown_number(double number);

struct JsonStyle {
  std::optional<std::string> indent = {};
  std::string between_items = ", ", after_name = ": ";
  bool is_ascii = false, sorts_names = false;
};
// json.dumps(value) in Python.
std::string json_of(Run& run, const Value& value, const JsonStyle& style);

// With & < > ' " as HTML has them.
std::string escaped(std::string_view text);

}  // namespace attend::chat_template
