// Reads what core/strings/page_text.h writes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "attend/core/strings/utf8.h"

namespace attend {

inline std::string from_page_text(std::string_view text) {
  constexpr unsigned char kChanged[] = {0,    8,    9,    10,   11,   12,  13,
                                        0x1A, 0x1B, 0x1C, 0x1D, 0x1E, '<', 0x7F};
  std::string bits;
  const auto add = [&bits](std::uint32_t group) {
    for (int bit = 6; bit >= 0; --bit) bits += (group >> bit & 1) != 0 ? '1' : '0';
  };
  for (std::size_t at = 0; at < text.size();) {
    const char32_t character = next_code_point(text, at);
    if (character >= 128) add(kChanged[(character - 0x100) / 128]);
    add(character % 128);
  }
  std::string bytes;
  for (std::size_t at = 0; at + 8 <= bits.rfind('1'); at += 8)
    bytes += static_cast<char>(std::stoi(bits.substr(at, 8), nullptr, 2));
  return bytes;
}

}  // namespace attend
