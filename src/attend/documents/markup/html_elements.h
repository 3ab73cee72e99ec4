// What the HTML standard says of elements by their names, in small letters.
#pragma once

#include <string_view>

namespace attend::html {

// The white space of markup.
inline bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

// Within a line of text: <b>, <a>, ... All others begin and end blocks.
bool is_inline(std::string_view name);
// Without content and without an end tag: <br>.
bool is_void(std::string_view name);
// What stands in them is no prose: <script>, <code>, ...
bool is_opaque(std::string_view name);
// Tags within them are text: <script>, <title>.
bool holds_only_text(std::string_view name);
// Their end tag may be left out: <p>, <li>, ...
bool may_stay_open(std::string_view name);
// Whether an open element of that kind ends where the tag <next> begins.
bool ends_before(std::string_view name, std::string_view next);

}  // namespace attend::html
