// Numbers in 16 bits: the upper half of a float's bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace attend {

// Rounded to nearest, ties to even; may become infinite. NaN stays NaN.
inline std::uint16_t nearest_bf16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t down = bits >> 16, rest = bits & 0xFFFFu;
  if (std::isnan(x)) return static_cast<std::uint16_t>(down | 0x40u);
  const bool up = rest > 0x8000u || (rest == 0x8000u && down % 2 == 1);
  return static_cast<std::uint16_t>(up ? down + 1 : down);
}

inline float float_of_bf16(std::uint16_t bf16) {
  return std::bit_cast<float>(std::uint32_t{bf16} << 16);
}

}  // namespace attend
