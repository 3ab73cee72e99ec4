// GEMM with packed 8-bit weights (cpu/packed_weights.h) on CPUs without byte dot products. An
// instruction multiplies two neighbors of a row, broadcast, with those of one column per lane, so
// no sums across lanes are needed. Weights are widened to 16 bits when read, or once for many rows.
#if defined(ATTEND_BACKEND_FAST_QUANTIZED_SHORTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTEND_BACKEND_FAST_QUANTIZED_SHORTS_INL_H
#undef ATTEND_BACKEND_FAST_QUANTIZED_SHORTS_INL_H
#else
#define ATTEND_BACKEND_FAST_QUANTIZED_SHORTS_INL_H
#endif

#include "attend/backend/fast/int8/quantized_tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR
HWY_INLINE void multiply_panels_of_shorts(const QuantizedProduct& p, std::size_t begin,
                                          std::size_t end, std::int16_t*) {
  const Floats d;
  for (std::size_t column = begin; column < end; ++column) {
    const std::size_t c = column % kWidth;
    const auto* const panel =
        reinterpret_cast<const std::uint8_t*>(p.weights + (column - c) * p.weights_stride);
    float of_column;
    __builtin_memcpy(&of_column, panel + kWidth * p.depth + c * sizeof of_column, sizeof of_column);
    const auto bias = hn::Set(d, p.bias == nullptr ? 0.0f : p.bias[column]);
    for (std::size_t row = 0; row < p.rows; ++row) {
      const std::int16_t* const q = p.rounded_row<std::int16_t>(row);
      std::int32_t total = -p.row_shifts[row];
      for (std::size_t k = 0; k < p.depth; ++k)
        total += q[k] * panel[(k / 4 * kWidth + c) * 4 + k % 4];
      const auto scale = hn::Mul(hn::Set(d, p.row_scales[row]), hn::Set(d, of_column));
      hn::StoreU(hn::MulAdd(hn::Set(d, static_cast<float>(total)), scale, bias), d,
                 p.y + row * p.y_stride + column);
    }
  }
}
#else
// The pairs (k, k+1) of a panel, k even, for a vector of columns.
HWY_INLINE hn::Vec<Shorts> pairs_at(const std::uint8_t* panel, std::size_t k, std::size_t vector) {
  alignas(16) static constexpr std::uint8_t kPairs[2][16] = {
      {0, 128, 1, 128, 4, 128, 5, 128, 8, 128, 9, 128, 12, 128, 13, 128},
      {2, 128, 3, 128, 6, 128, 7, 128, 10, 128, 11, 128, 14, 128, 15, 128}};
  const UnsignedBytes bytes;
  const auto quads = hn::LoadU(bytes, panel + k / 4 * 4 * kWidth + vector * hn::Lanes(bytes));
  return hn::BitCast(Shorts(),
                     hn::TableLookupBytesOr0(quads, hn::LoadDup128(bytes, kPairs[k / 2 % 2])));
}
// The same for a widened panel, [depth / 2][16][2].
HWY_INLINE hn::Vec<Shorts> pairs_at(const std::int16_t* panel, std::size_t k, std::size_t vector) {
  return hn::Load(Shorts(), panel + k * kWidth + vector * kShorts);
}

HWY_INLINE void widen_panel(const std::uint8_t* panel, std::size_t depth, std::int16_t* wide) {
  for (std::size_t k = 0; k < depth; k += 2) {
    for (std::size_t v = 0; v < kWidth / kIntegerLanes; ++v, wide += kShorts)
      hn::Store(pairs_at(panel, k, v), Shorts(), wide);
  }
}

// totals[r][c] = q[r] . column c of the panel.
template <int rows, class T>
HWY_INLINE void panel_totals(const std::int16_t* q, std::size_t stride, const T* panel,
                             std::size_t depth, std::int32_t (*totals)[kWidth]) {
  constexpr std::size_t kVectors = 2 * kWidth / kShorts;
  const Integers d;
  const Shorts shorts;
  IntegerVector sums[rows][kVectors];
  IntegerVector odd[rows][kVectors];  // nonzero where the instruction set splits a sum in two
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v) sums[r][v] = odd[r][v] = hn::Zero(d);
  }
  // One pair at a time: with two, compilers add the products first and keep the sums in memory.
#pragma GCC unroll 1
  for (std::size_t k = 0; k < depth; k += 2) {
    hn::Vec<Shorts> weights[kVectors];
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v) weights[v] = pairs_at(panel, k, v);
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) {
      std::int32_t pair;
      __builtin_memcpy(&pair, q + static_cast<std::size_t>(r) * stride + k, sizeof pair);
      const auto both = hn::BitCast(shorts, hn::Set(d, pair));
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kVectors; ++v)
        sums[r][v] = hn::ReorderWidenMulAccumulate(d, both, weights[v], sums[r][v], odd[r][v]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v)
      hn::Store(hn::RearrangeToOddPlusEven(sums[r][v], odd[r][v]), d, totals[r] + v * hn::Lanes(d));
  }
}

// The columns of one panel of T, 8 or 16 bits.
template <class T>
struct ShortTile {
  const T* panel;

  static constexpr int kVectors = kWidth / kIntegerLanes;
  // The fastest number of rows whose sums fit in registers.
#if HWY_TARGET == HWY_NEON  // twice the registers, and sums in two parts
  static constexpr int kMostRows = 3;
#else
  static constexpr int kMostRows = HWY_MAX_BYTES >= 64 ? 8 : HWY_MAX_BYTES >= 32 ? 6 : 2;
#endif
  static constexpr int kRowUnit = 1;
  static constexpr bool kInBytes = false;

  // The sums go through memory vector by vector; scaled in place, they would not all fit in
  // registers.
  template <int rows>
  HWY_INLINE void multiply(const QuantizedProduct& p, const TilePlace& place) const {
    HWY_ALIGN std::int32_t totals[rows][kWidth];
    panel_totals<rows>(p.rounded_row<std::int16_t>(place.row), p.rounded_stride, panel, p.depth,
                       totals);
    ColumnScales columns[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v)
      columns[v] = column_scales(p, place.column + static_cast<std::size_t>(v) * kIntegerLanes);
    float* y = p.y + place.row * p.y_stride + place.column;
    for (std::size_t r = 0; r < rows; ++r, y += p.y_stride) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        const std::size_t at = static_cast<std::size_t>(v) * kIntegerLanes;
        hn::StoreU(
            scaled_sums<true>(p, place.row + r, hn::Load(Integers(), totals[r] + at), columns[v]),
            Floats(), y + at);
      }
    }
  }
};

// All rows by the columns [begin, end) of whole panels. `wide` has room for one panel.
HWY_INLINE void multiply_panels_of_shorts(const QuantizedProduct& p, std::size_t begin,
                                          std::size_t end, std::int16_t* wide) {
  for (std::size_t column = begin; column < end; column += kWidth) {
    const std::uint8_t* const panel = columns_at(p, column).panel;
    if (p.rows <= ShortTile<std::uint8_t>::kMostRows) {
      multiply_quantized_tiles(ShortTile<std::uint8_t>{panel}, p, column, column + kWidth);
    } else {
      widen_panel(panel, p.depth, wide);
      multiply_quantized_tiles(ShortTile<std::int16_t>{wide}, p, column, column + kWidth);
    }
  }
}
#endif

// The kernels of 16-bit activations.
struct ShortKernels {
  static bool available() { return true; }
  // Panels that are widened from 4 to 8 bits at a time, and the scratch memory besides, in bytes.
  static constexpr std::size_t kWidened = 1;
  static std::size_t scratch(std::size_t depth) { return depth * kWidth * sizeof(std::int16_t); }
  // All rows by the columns [begin, end) of panels in 8 bits.
  static HWY_INLINE void multiply(const QuantizedProduct& p, std::size_t begin, std::size_t end,
                                  std::byte* scratch) {
    multiply_panels_of_shorts(p, begin, end, reinterpret_cast<std::int16_t*>(scratch));
  }
  // The most rows that are multiplied with weights in 4 bits as they are.
  static constexpr std::size_t kFewRows = 0;
};

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#endif
