// The strings of JSON with their places, for files that keep all other bytes.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "attend/documents/sentences/sentences.h"

namespace attend {

struct JsonString {
  TextSpan place;           // between the quotation marks
  std::string text;         // without escapes
  std::string member = {};  // the name of the member whose value it is; empty in a list
};

// Calls `found` for each string that is a value. `skips`: whether the value of a member of this
// name, and all within it, is left out. Throws DataError for text that is not JSON; a byte order
// mark may stand before it. Takes linear time at any depth. `name` stands for it in messages.
void find_json_strings(std::string_view name, std::string_view json,
                       const std::function<bool(std::string_view)>& skips,
                       const std::function<void(JsonString)>& found);

// A text with the escapes that it needs between quotation marks. `ascii`: others than ASCII are
// escaped, too.
std::string json_escaped(std::string_view text, bool ascii);

}  // namespace attend
