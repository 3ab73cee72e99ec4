#include "attend/interchange/formats/gguf/gguf_blocks.h"

#include <array>
#include <cstddef>

#include "attend/interchange/weights/element_type.h"

namespace attend::gguf {

namespace {

constexpr std::size_t kHalf = 16;  // of a block of 32

float half_at(Block block, std::size_t at) {
  return f16_to_f32(static_cast<std::uint16_t>(block[at] | block[at + 1] << 8));
}

int low(std::uint8_t byte) { return byte & 0xF; }
int high(std::uint8_t byte) { return byte >> 4; }

// The fifth bits of 32 elements, one for each.
struct FifthBits {
  std::uint32_t bits;
  FifthBits(Block block, std::size_t at)
      : bits(static_cast<std::uint32_t>(block[at]) |
             static_cast<std::uint32_t>(block[at + 1]) << 8 |
             static_cast<std::uint32_t>(block[at + 2]) << 16 |
             static_cast<std::uint32_t>(block[at + 3]) << 24) {}
  int of(std::size_t element) const { return static_cast<int>(bits >> element & 1) << 4; }
};

// The factor and the offset of a group of 32 elements.
struct Factors {
  float scale, offset;
};

// Eight scales and eight offsets in 6 bits each: the first four of both in the low bits of 8 bytes,
// the others in 4 more bytes and the bits that are left.
Factors factors_of(Block scales, std::size_t group, float scale, float offset) {
  int s = 0, m = 0;
  if (group < 4) {
    s = scales[group] & 63;
    m = scales[group + 4] & 63;
  } else {
    s = low(scales[group + 4]) | scales[group - 4] >> 6 << 4;
    m = high(scales[group + 4]) | scales[group] >> 6 << 4;
  }
  return {scale * static_cast<float>(s), offset * static_cast<float>(m)};
}

}  // namespace

// f16 d; 16 bytes, each with an element of either half.
void dequantize_q4_0(Block from, std::span<float> to) {
  const float d = half_at(from, 0);
  const Block q = from.subspan(2);
  for (std::size_t i = 0; i < kHalf; ++i) {
    to[i] = static_cast<float>(low(q[i]) - 8) * d;
    to[i + kHalf] = static_cast<float>(high(q[i]) - 8) * d;
  }
}

// f16 d, f16 m; the elements as above.
void dequantize_q4_1(Block from, std::span<float> to) {
  const float d = half_at(from, 0), m = half_at(from, 2);
  const Block q = from.subspan(4);
  for (std::size_t i = 0; i < kHalf; ++i) {
    to[i] = static_cast<float>(low(q[i])) * d + m;
    to[i + kHalf] = static_cast<float>(high(q[i])) * d + m;
  }
}

// f16 d; 32 fifth bits; the other four as above.
void dequantize_q5_0(Block from, std::span<float> to) {
  const float d = half_at(from, 0);
  const FifthBits fifth(from, 2);
  const Block q = from.subspan(6);
  for (std::size_t i = 0; i < kHalf; ++i) {
    to[i] = static_cast<float>((low(q[i]) | fifth.of(i)) - 16) * d;
    to[i + kHalf] = static_cast<float>((high(q[i]) | fifth.of(i + kHalf)) - 16) * d;
  }
}

void dequantize_q5_1(Block from, std::span<float> to) {
  const float d = half_at(from, 0), m = half_at(from, 2);
  const FifthBits fifth(from, 4);
  const Block q = from.subspan(8);
  for (std::size_t i = 0; i < kHalf; ++i) {
    to[i] = static_cast<float>(low(q[i]) | fifth.of(i)) * d + m;
    to[i + kHalf] = static_cast<float>(high(q[i]) | fifth.of(i + kHalf)) * d + m;
  }
}

// f16 d; 32 bytes.
void dequantize_q8_0(Block from, std::span<float> to) {
  const float d = half_at(from, 0);
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] = static_cast<float>(static_cast<std::int8_t>(from[i + 2])) * d;
}

// f16 d, f16 m; 12 bytes of factors; 4 times 32 bytes, each with an element of two groups.
void dequantize_q4_k(Block from, std::span<float> to) {
  const float d = half_at(from, 0), m = half_at(from, 2);
  const Block scales = from.subspan(4, 12);
  for (std::size_t pair = 0; pair < 4; ++pair) {
    const Factors first = factors_of(scales, 2 * pair, d, m),
                  second = factors_of(scales, 2 * pair + 1, d, m);
    const Block q = from.subspan(16 + 32 * pair, 32);
    const std::span<float> y = to.subspan(64 * pair, 64);
    for (std::size_t i = 0; i < 32; ++i) {
      y[i] = first.scale * static_cast<float>(low(q[i])) - first.offset;
      y[i + 32] = second.scale * static_cast<float>(high(q[i])) - second.offset;
    }
  }
}

// The same with 32 bytes of fifth bits before the others: bit g of byte i is of element i in group
// g.
void dequantize_q5_k(Block from, std::span<float> to) {
  const float d = half_at(from, 0), m = half_at(from, 2);
  const Block scales = from.subspan(4, 12), fifth = from.subspan(16, 32);
  for (std::size_t pair = 0; pair < 4; ++pair) {
    const Factors first = factors_of(scales, 2 * pair, d, m),
                  second = factors_of(scales, 2 * pair + 1, d, m);
    const Block q = from.subspan(48 + 32 * pair, 32);
    const std::span<float> y = to.subspan(64 * pair, 64);
    for (std::size_t i = 0; i < 32; ++i) {
      const int bit = (fifth[i] >> (2 * pair) & 1) << 4, next = (fifth[i] >> (2 * pair + 1) & 1)
                                                                << 4;
      y[i] = first.scale * static_cast<float>(low(q[i]) + bit) - first.offset;
      y[i + 32] = second.scale * static_cast<float>(high(q[i]) + next) - second.offset;
    }
  }
}

// 128 bytes of low bits, 64 of two high bits each, 16 factors in a byte each, f16 d. Each half has
// 128 elements; a byte of low bits has elements that are 64 apart.
void dequantize_q6_k(Block from, std::span<float> to) {
  const float d = half_at(from, 208);
  for (std::size_t half = 0; half < 2; ++half) {
    const Block q = from.subspan(64 * half, 64), bits = from.subspan(128 + 32 * half, 32),
                scales = from.subspan(192 + 8 * half, 8);
    const std::span<float> y = to.subspan(128 * half, 128);
    for (std::size_t i = 0; i < 32; ++i) {
      const std::array<int, 4> lows{low(q[i]), low(q[i + 32]), high(q[i]), high(q[i + 32])};
      for (std::size_t k = 0; k < 4; ++k) {
        const auto scale = static_cast<std::int8_t>(scales[i / 16 + 2 * k]);
        const int value = (lows[k] | (bits[i] >> (2 * k) & 3) << 4) - 32;
        y[i + 32 * k] = d * static_cast<float>(scale) * static_cast<float>(value);
      }
    }
  }
}

}  // namespace attend::gguf
