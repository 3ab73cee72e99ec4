// Checks the nesting of TOML text before parsing. The parser makes a table for every part of a key
// "a.b.c", and destroying thousands of nested tables overflows the stack.
#pragma once

#include <cstdint>
#include <string_view>

namespace attend {

// The number, from 1, of the first line with a key of more than kMostKeyParts parts or with more
// than kMostBrackets open brackets; 0 if there is none.
std::int64_t line_nested_too_deep(std::string_view toml);

inline constexpr int kMostKeyParts = 32;
inline constexpr int kMostBrackets = 16;

}  // namespace attend
