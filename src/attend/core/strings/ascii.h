// Kinds of ASCII characters, and numbers of them. Unlike <cctype>, these do not depend on the
// locale that a program has set; no other byte is of any kind.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace attend {

constexpr bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_ascii_upper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_ascii_letter(char c) { return is_ascii_upper(c) || (c >= 'a' && c <= 'z'); }
constexpr bool is_ascii_alphanumeric(char c) { return is_ascii_digit(c) || is_ascii_letter(c); }
// Visible, and no letter or digit.
constexpr bool is_ascii_punctuation(char c) {
  return c > ' ' && c < '\x7f' && !is_ascii_alphanumeric(c);
}
constexpr char ascii_lower(char c) {
  return is_ascii_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}
inline std::string ascii_lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = ascii_lower(c);
  return lower;
}

// The whole text as a decimal number, such as "12" or "-3"; nullopt if it is none, or too large.
inline std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace attend
