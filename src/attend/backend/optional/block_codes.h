// Numbers in 8 bits with a scale for each block: the codes of OptionalKernels::quantize_blocks().
//
// A code is a small floating-point number (IEEE 754 in shape: subnormals, no infinities) with 3
// bits of fraction, relative to the largest magnitude of its block:
//
//   signed_numbers   sign, 4 bits of exponent: magnitudes from 2^-17 of the largest on
//   positive_numbers 5 bits of exponent: from 2^-33 of the largest on
//
// Codes are rounded at random, so that a moving average of codes has the mean of one of numbers: a
// change that is smaller than a step between codes is made with its probability. A positive number
// is at least the smallest code, never 0, so that a root of it can be divided by.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "attend/backend/optional_kernels.h"

namespace attend::block_codes {

inline constexpr std::int32_t kLargestFraction = 7;  // of 8
inline constexpr float kLargestMantissa = 1.875f;

constexpr std::int32_t exponents(BlockCode kind) {
  return kind == BlockCode::signed_numbers ? 16 : 32;
}
constexpr std::int32_t largest_code(BlockCode kind) {
  return 8 * (exponents(kind) - 1) + kLargestFraction;
}
// What the largest code stands for, in units of the smallest normal number.
inline float largest_value(BlockCode kind) {
  return std::ldexp(kLargestMantissa, exponents(kind) - 2);
}

// In units of the smallest normal number; codes from 0 to largest_code().
inline float value_of_code(std::int32_t code) {
  const std::int32_t exponent = code >> 3, fraction = code & 7;
  if (exponent == 0) return static_cast<float>(fraction) * 0.125f;
  return std::ldexp(static_cast<float>(8 + fraction) * 0.125f, exponent - 1);
}

// The code of `value` >= 0 in those units with 16 bits of fraction: linear between codes.
inline std::uint32_t exact_code(float value) {
  if (value < 1.0f) return static_cast<std::uint32_t>(value * 0x1p19f);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return ((bits - 0x3f800000u) >> 4) + (8u << 16);
}

}  // namespace attend::block_codes
