#include "attend/backend/cpu/grouped_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "attend/backend/cpu/quantized_weights.h"
#include "attend/core/threads/parallel.h"
#include "attend/error.h"

namespace attend {

namespace {

constexpr std::size_t kGroupSize = kWeightGroup;
constexpr std::int64_t kGroupedGrain = 1 << 14;  // elements per thread
constexpr int kFactorCodes = 16;
constexpr float kLowestNumber = -8.0f, kHighestNumber = 7.0f;
constexpr float kLargestProduct = 120.0f;  // of a product: 15 * 8

constexpr int factor_of(int code) { return 2 * code - 15; }

// Rounds |x| < 2^22 to the nearest even integer. Unlike std::nearbyint, compilers vectorize it.
inline float to_integer(float x) {
  constexpr float kOnePointFive = 12582912.0f;  // times 2^23
  return (x + kOnePointFive) - kOnePointFive;
}

struct RoundedGroup {
  std::array<float, kGroupSize> numbers{};
  float error = std::numeric_limits<float>::infinity();
  int code = 0;
};

RoundedGroup with_factor(const float* x, int code) {
  const auto factor = static_cast<float>(factor_of(code));
  const float inverse = 1.0f / factor;
  RoundedGroup group{.code = code};
  std::array<float, kGroupSize> squares;
  for (std::size_t i = 0; i < kGroupSize; ++i) {
    group.numbers[i] =
        std::min(std::max(to_integer(x[i] * inverse), kLowestNumber), kHighestNumber);
    const float difference = x[i] - factor * group.numbers[i];
    squares[i] = difference * difference;
  }
  group.error = 0.0f;
  for (const float square : squares) group.error += square;
  return group;
}

// x in units of the scale: |x| <= 120.
RoundedGroup nearest_group(const float* x) {
  RoundedGroup best = with_factor(x, 0);
  for (int code = 1; code < kFactorCodes; ++code) {
    const RoundedGroup other = with_factor(x, code);
    if (other.error < best.error) best = other;
  }
  return best;
}

// The parts of a row of bytes.
struct GroupedRow {
  GroupedRow(const Tensor& grouped, std::int64_t row)
      : numbers(reinterpret_cast<std::uint8_t*>(grouped.row_bytes(row))),
        factors(numbers + weight_columns(grouped) / 2),
        scale(factors + factor_bytes(weight_columns(grouped))) {}

  std::uint8_t* numbers;
  std::uint8_t* factors;
  std::uint8_t* scale;
};

void put_group(const RoundedGroup& group, std::int64_t index, const GroupedRow& to) {
  std::uint8_t* bytes = to.numbers + index * kWeightGroup / 2;
  const auto number = [&](std::size_t i) {
    return static_cast<unsigned>(group.numbers[i] - kLowestNumber);
  };
  for (std::size_t eight = 0; eight < kGroupSize; eight += 8) {
    for (std::size_t j = eight; j < eight + 4; ++j)
      *bytes++ = static_cast<std::uint8_t>(number(j) | number(j + 4) << 4);
  }
  const auto code = static_cast<unsigned>(group.code);
  std::uint8_t& both = to.factors[index / 2];
  both = static_cast<std::uint8_t>(index % 2 == 0 ? code : both | code << 4);
}

float largest_magnitude(const float* x, std::int64_t count, std::int64_t row) {
  float largest = 0.0f;
  for (std::int64_t i = 0; i < count; ++i) {
    if (!std::isfinite(x[i]))
      throw DataError(fmt::format("row {}: expected finite weights, found {}", row, x[i]));
    largest = std::max(largest, std::fabs(x[i]));
  }
  return largest;
}

void group_row(const float* x, std::int64_t columns, float largest, const GroupedRow& to) {
  const bool vanishes = largest < kQuantizedVanishing;
  const float inverse = vanishes ? 0.0f : kLargestProduct / largest;
  for (std::int64_t g = 0; g < columns / kWeightGroup; ++g) {
    std::array<float, kGroupSize> scaled;
    for (std::size_t i = 0; i < kGroupSize; ++i)
      scaled[i] = x[g * kWeightGroup + static_cast<std::int64_t>(i)] * inverse;
    put_group(nearest_group(scaled.data()), g, to);
  }
  const float scale = vanishes ? 0.0f : largest / kLargestProduct;
  std::memcpy(to.scale, &scale, sizeof scale);
}

}  // namespace

Tensor group_weights(const Tensor& weights) {
  if (weights.shape().rank() != 2 || weights.cols() % kWeightGroup != 0)
    throw ShapeError(
        fmt::format("[group_weights] expected weights [O, I], I a multiple of {}, got {}",
                    kWeightGroup, to_string(weights.shape())));
  const std::int64_t columns = weights.cols();
  const Tensor grouped = Tensor::empty({weights.rows(), grouped_columns(columns)}, DType::i4);
  parallel_for(
      weights.rows(), kGroupedGrain / (columns + 1) + 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row)
          group_row(weights.row(row), columns, largest_magnitude(weights.row(row), columns, row),
                    GroupedRow(grouped, row));
      });
  return grouped;
}

Tensor in_eight_bits(const Tensor& grouped) {
  const std::int64_t columns = weight_columns(grouped);
  const Tensor wide = Tensor::empty({grouped.rows(), quantized_columns(columns)}, DType::i8);
  parallel_for(grouped.rows(), kGroupedGrain / (columns + 1) + 1,
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t row = begin; row < end; ++row) {
                   const GroupedRow from(grouped, row);
                   std::int8_t* to = wide.row<std::int8_t>(row);
                   for (std::int64_t i = 0; i < columns; ++i) {
                     const std::int64_t group = i / kWeightGroup;
                     const int number = from.numbers[i / 8 * 4 + i % 4] >> (i / 4 % 2 * 4) & 15,
                               code = from.factors[group / 2] >> (group % 2 * 4) & 15;
                     to[i] = static_cast<std::int8_t>(factor_of(code) * (number - 8));
                   }
                   std::memcpy(to + columns, from.scale, sizeof(float));
                 }
               });
  return wide;
}

}  // namespace attend
