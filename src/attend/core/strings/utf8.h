// Strict UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace attend {

// The position of the first byte that is not part of a well-formed character, or
// std::string_view::npos if all of `text` is valid.
std::size_t find_invalid_utf8(std::string_view text);

inline bool is_utf8(std::string_view text) {
  return find_invalid_utf8(text) == std::string_view::npos;
}

// The code point that starts at `position`, which advances past it. A byte that starts no
// well-formed character reads as U+FFFD and is one byte long, so loops over any bytes end.
// Precondition: position < text.size().
//
//   for (std::size_t at = 0; at < text.size();) use(next_code_point(text, at));
char32_t next_code_point(std::string_view text, std::size_t& position);

// The number of code points in such a loop.
std::size_t count_code_points(std::string_view text);

// The characters of such a loop, each as its bytes in `text`.
std::vector<std::string_view> characters_of(std::string_view text);

// Where the character begins that ends at `end`. Preconditions: the text is UTF-8, end > 0.
std::size_t begin_of_character_before(std::string_view text, std::size_t end);

// Unicode white space (the property White_Space), the zero-width space and the byte order mark.
bool is_white_space(char32_t code_point);

// Whether `text` is empty or only white space.
bool is_blank(std::string_view text);

// Appends `code_point` to `text`, or U+FFFD if it is not a Unicode scalar value.
void append_code_point(std::string& text, char32_t code_point);

}  // namespace attend
