// How deep a text in TOML nests, seen before it is parsed: the parser makes a table of every part
// of a key "a.b.c", and taking apart what is nested thousands of tables deep takes more stack than
// there is.
#pragma once

#include <cstdint>
#include <string_view>

namespace attend {

// The number, from 1, of the first line with a key of more than kMostKeyParts parts, or with more
// than kMostBrackets open brackets; 0 when there is none.
std::int64_t line_nested_too_deep(std::string_view toml);

inline constexpr int kMostKeyParts = 32;
inline constexpr int kMostBrackets = 16;

}  // namespace attend
