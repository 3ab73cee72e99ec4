// What Python's str does. Private to text/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "attend/text/chat_template/run.h"

namespace attend::chat_template {

// str.strip(): of white space, or of any of the characters.
std::string stripped(std::string_view text, bool left, bool right);
std::string stripped(Run& run, std::string_view text, std::string_view characters, bool left,
                     bool right);
// str.replace(): most < 0: all.
std::string replaced(Run& run, std::string_view text, std::string_view from, std::string_view to,
                     std::int64_t most);
// str.split() and str.rsplit(), at white space or at a separator; most < 0: everywhere.
std::vector<std::string_view> split_at_space(Run& run, std::string_view text, std::int64_t most,
                                             bool from_right);
std::vector<std::string_view> split_at(Run& run, std::string_view text, std::string_view separator,
                                       std::int64_t most, bool from_right);
// str.splitlines().
std::vector<std::string_view> lines_of(Run& run, std::string_view text, bool keeps_ends);
Value texts(Run& run, const std::vector<std::string_view>& parts, bool are_markup);

// The methods of strings.
Value text_method(Run& run, const Value& self, std::string_view name, const Given& given);

}  // namespace attend::chat_template
