// Few rows by packed 4-bit weights (cpu/packed_weights.h) on ARM CPUs with byte products: halves of
// bytes are multiplied as they are, and the sums of a group times its factor added. A group is as
// deep as a vector has bytes, so the activations of a row for it are one vector.
#if defined(ATTEND_BACKEND_FAST_QUANTIZED_NIBBLES_NEON_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTEND_BACKEND_FAST_QUANTIZED_NIBBLES_NEON_INL_H
#undef ATTEND_BACKEND_FAST_QUANTIZED_NIBBLES_NEON_INL_H
#else
#define ATTEND_BACKEND_FAST_QUANTIZED_NIBBLES_NEON_INL_H
#endif

#include "attend/backend/fast/int8/quantized_bytes_neon-inl.h"
#include "attend/backend/fast/int8/quantized_nibbles-inl.h"

#if HWY_TARGET == HWY_NEON
HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

static_assert(kGroup == kVectorBytes);

// The most rows that are multiplied with halves of bytes: as many as have their sums in registers.
constexpr std::size_t kFewRows = 4;

// Four columns of a group: their quads of numbers n along the depth, as signed bytes.
struct GroupQuads {
  ByteVector quads[4];
};
HWY_INLINE GroupQuads group_quads(const std::uint8_t* from) {
  const UnsignedBytes d;
  const auto half = hn::Set(d, 15), eight = hn::Set(d, 8);
  const auto before = hn::LoadU(d, from), behind = hn::LoadU(d, from + 4 * kWidth);
  return {{hn::Sub(hn::And(before, half), eight), hn::Sub(hn::ShiftRight<4>(before), eight),
           hn::Sub(hn::And(behind, half), eight), hn::Sub(hn::ShiftRight<4>(behind), eight)}};
}

// Adds to the sums of row `row` what bytes do not hold of it.
HWY_INLINE void add_outliers_to_groups(const QuantizedProduct& p, std::size_t row,
                                       const std::uint8_t* panel, IntegerVector* sums) {
  const Integers d;
  const Outlier* const outliers = p.outliers + row * p.most_outliers;
  for (std::int32_t o = 0; o < p.outlier_counts[row]; ++o) {
    const auto index = static_cast<std::size_t>(outliers[o].index);
    const auto high = hn::Set(d, 256 * outliers[o].high);
    const auto shift = static_cast<int>(8 * (index % 4) + 4 * (index / 4 % 2));
    for (std::size_t v = 0; v < kPanelVectors; ++v) {
      const auto lanes = hn::BitCast(
          d, hn::LoadU(UnsignedBytes(), panel + index / 8 * 4 * kWidth + v * kVectorBytes));
      const auto number =
          hn::Sub(hn::And(hn::ShiftRightSame(lanes, shift), hn::Set(d, 15)), hn::Set(d, 8));
      const auto factor = group_factors(panel + p.depth / 2 * kWidth, index / kGroup, v);
      sums[v] = hn::Add(sums[v], hn::Mul(hn::Mul(number, factor), high));
    }
  }
}

// All rows, `rows` of them, by the columns of the panel, starting at `column`.
template <int rows>
HWY_NOINLINE void nibbles_tile(const QuantizedProduct& p, std::size_t column) {
  const Integers d;
  const auto* const panel =
      reinterpret_cast<const std::uint8_t*>(p.weights + column * p.weights_stride);
  const std::uint8_t* const factors = panel + p.depth / 2 * kWidth;
  IntegerVector totals[rows][kPanelVectors];
#pragma GCC unroll 4
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kPanelVectors; ++v) totals[r][v] = hn::Zero(d);
  }
  for (std::size_t group = 0; group < p.depth / kGroup; ++group) {
    ByteVector activations[rows];
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r)
      activations[r] =
          hn::LoadU(UnsignedBytes(),
                    p.rounded_row<std::uint8_t>(static_cast<std::size_t>(r)) + group * kGroup);
#pragma GCC unroll 4
    for (int v = 0; v < kPanelVectors; ++v) {
      const auto vector = static_cast<std::size_t>(v);
      const GroupQuads numbers = group_quads(panel + group * kGroupBytes + vector * kVectorBytes);
      const auto factor = group_factors(factors, group, vector);
#pragma GCC unroll 4
      for (int r = 0; r < rows; ++r) {
        auto sums = hn::Zero(d);
        SignedProducts::add<0>(numbers.quads[0], activations[r], sums);
        SignedProducts::add<1>(numbers.quads[1], activations[r], sums);
        SignedProducts::add<2>(numbers.quads[2], activations[r], sums);
        SignedProducts::add<3>(numbers.quads[3], activations[r], sums);
        totals[r][v] = hn::Add(totals[r][v], hn::Mul(sums, factor));
      }
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < rows; ++r) {
    const auto row = static_cast<std::size_t>(r);
    add_outliers_to_groups(p, row, panel, totals[r]);
    float* const y = p.y + row * p.y_stride + column;
#pragma GCC unroll 4
    for (int v = 0; v < kPanelVectors; ++v) {
      const auto vector = static_cast<std::size_t>(v);
      hn::StoreU(scaled_sums(p, row, totals[r][v], column_scales(p, column, vector)), Floats(),
                 y + vector * hn::Lanes(d));
    }
  }
}

// Few rows by the columns [begin, end) of whole panels. No scratch is needed.
HWY_INLINE void multiply_few_rows(const QuantizedProduct& p, std::size_t begin, std::size_t end,
                                  std::int32_t*) {
  static constexpr void (*kTiles[])(const QuantizedProduct&, std::size_t) = {
      nibbles_tile<1>, nibbles_tile<2>, nibbles_tile<3>, nibbles_tile<4>};
  for (std::size_t column = begin; column < end; column += kWidth) kTiles[p.rows - 1](p, column);
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();
#endif

#endif
