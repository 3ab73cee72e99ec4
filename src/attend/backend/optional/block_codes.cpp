#include "attend/backend/optional/block_codes.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <span>

#include "attend/backend/optional_kernels.h"
#include "attend/core/threads/parallel.h"

namespace attend {

namespace {

using namespace block_codes;

// Blocks for a thread at least: a few microseconds of work.
constexpr std::int64_t kBlocksAtOnce = 64;

// NaN if one is not finite.
float largest_magnitude(std::span<const float> x) {
  float largest = 0;
  for (const float value : x) {
    if (!std::isfinite(value)) return std::numeric_limits<float>::quiet_NaN();
    largest = std::max(largest, std::abs(value));
  }
  return largest;
}

// `block`: the number of the block, for random numbers. Returns the scale.
float encode_block(std::span<const float> x, BlockCode kind, RandomKey key, std::uint32_t block,
                   std::uint8_t* codes) {
  const float scale = largest_magnitude(x) / largest_value(kind);
  // Numbers too small for a scale are zeros.
  const float inverse = scale >= std::numeric_limits<float>::min() ? 1 / scale : 0;
  const auto largest = static_cast<std::uint32_t>(largest_code(kind));
  std::array<std::uint32_t, 4> random{};
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i % 8 == 0) random = key.at(static_cast<std::uint32_t>(i / 8), block);
    const std::uint32_t bits = (random[i % 8 / 2] >> (i % 2 * 16)) & 0xffffu;
    std::uint32_t code = std::min((exact_code(std::abs(x[i]) * inverse) + bits) >> 16, largest);
    if (kind == BlockCode::signed_numbers) {
      if (x[i] < 0) code |= 0x80u;
    } else if (code == 0 && x[i] > 0 && inverse > 0) {
      code = 1;
    }
    codes[i] = static_cast<std::uint8_t>(code);
  }
  return scale;
}

// The values of all 256 codes.
std::array<float, 256> table_of(BlockCode kind) {
  std::array<float, 256> table{};
  for (std::int32_t code = 0; code < 256; ++code) {
    const bool negative = kind == BlockCode::signed_numbers && (code & 0x80) != 0;
    const float magnitude = value_of_code(kind == BlockCode::signed_numbers ? code & 0x7f : code);
    table[static_cast<std::size_t>(code)] = negative ? -magnitude : magnitude;
  }
  return table;
}

std::int64_t blocks_of(const Tensor& x) { return (x.size() + kBlockOfCodes - 1) / kBlockOfCodes; }

}  // namespace

void OptionalKernels::quantize_blocks(const Tensor& x, BlockCode kind, RandomKey key,
                                      const Tensor& codes, const Tensor& scales) {
  assert(codes.size() == x.size() && scales.size() == blocks_of(x));
  parallel_for(blocks_of(x), kBlocksAtOnce, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t block = begin; block < end; ++block) {
      const std::int64_t first = block * kBlockOfCodes,
                         count = std::min(kBlockOfCodes, x.size() - first);
      scales.data()[block] =
          encode_block({x.data() + first, static_cast<std::size_t>(count)}, kind, key,
                       static_cast<std::uint32_t>(block), codes.data<std::uint8_t>() + first);
    }
  });
}

void OptionalKernels::dequantize_blocks(const Tensor& codes, const Tensor& scales, BlockCode kind,
                                        const Tensor& x) {
  assert(codes.size() == x.size() && scales.size() == blocks_of(x));
  const std::array<float, 256> table = table_of(kind);
  parallel_for(blocks_of(x), kBlocksAtOnce, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t block = begin; block < end; ++block) {
      const float scale = scales.data()[block];
      const std::int64_t last = std::min((block + 1) * kBlockOfCodes, x.size());
      for (std::int64_t i = block * kBlockOfCodes; i < last; ++i)
        x.data()[i] = table[codes.data<std::uint8_t>()[i]] * scale;
    }
  });
}

}  // namespace attend
