// The content of a string in a template. Private to text/.
#pragma once

#include <string>
#include <string_view>

namespace attend::chat_template {

struct StringLiteral {
  std::string text;
  std::string fault = {};    // why Jinja does not read it
  std::string refusal = {};  // what Jinja reads and this does not
};

// What stands between the quotes, with escapes as Python reads them: unknown ones stay.
StringLiteral read_string_literal(std::string_view content);

}  // namespace attend::chat_template
