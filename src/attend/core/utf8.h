// UTF-8, strictly: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace attend {

// The position of the first byte that is not part of a well-formed character, or
// std::string_view::npos when all of `text` is UTF-8.
std::size_t find_invalid_utf8(std::string_view text);

inline bool is_utf8(std::string_view text) {
  return find_invalid_utf8(text) == std::string_view::npos;
}

// The code point that starts at `position`, which moves behind it. A byte that starts no
// well-formed character reads as U+FFFD and is one byte long, so a loop over any bytes ends.
// Precondition: position < text.size().
//
//   for (std::size_t at = 0; at < text.size();) use(next_code_point(text, at));
char32_t next_code_point(std::string_view text, std::size_t& position);

// The number of code points that such a loop would see.
std::size_t count_code_points(std::string_view text);

// White space of all kinds that Unicode has (its property White_Space), and what has no width: the
// zero-width space and the byte order mark.
bool is_white_space(char32_t code_point);

// Whether there is nothing but white space in it, or nothing at all.
bool is_blank(std::string_view text);

// Appends `code_point` to `text`; what is no Unicode scalar value is appended as U+FFFD.
void append_code_point(std::string& text, char32_t code_point);

}  // namespace attend
