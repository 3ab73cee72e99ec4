// GEMM with packed 8-bit weights (cpu/packed_weights.h) on CPUs without byte dot products. An
// instruction multiplies two neighbors of a row, broadcast, with those of one column per lane, so
// no sums across lanes are needed. Weights are widened to 16 bits when read, or once for many rows.
#if defined(ATTEND_BACKEND_FAST_QUANTIZED_PANELS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTEND_BACKEND_FAST_QUANTIZED_PANELS_INL_H
#undef ATTEND_BACKEND_FAST_QUANTIZED_PANELS_INL_H
#else
#define ATTEND_BACKEND_FAST_QUANTIZED_PANELS_INL_H
#endif

#include "attend/backend/fast/int8/quantized.h"
#include "attend/backend/fast/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR
constexpr std::size_t kShorts = 1;
#else
using Integers = hn::Repartition<std::int32_t, Floats>;
using Shorts = hn::Repartition<std::int16_t, Floats>;
using Bytes = hn::Half<hn::Repartition<std::int8_t, Floats> >;
using IntegerVector = hn::Vec<Integers>;
constexpr std::size_t kShorts = hn::MaxLanes(Shorts());
#endif

constexpr std::size_t kWidth = kPanelRows;

#if HWY_TARGET == HWY_SCALAR
// `rows` rows, starting at `row`, by the columns of the panel, starting at `column`.
template <int rows, class T>
HWY_NOINLINE void panel_tile(const QuantizedProduct& p, const T* panel, std::size_t row,
                             std::size_t column) {
  const Floats d;
  float scales[kWidth];
  __builtin_memcpy(scales, p.weights + column * p.weights_stride + kWidth * p.depth, sizeof scales);
  for (std::size_t r = row; r < row + rows; ++r) {
    const std::int16_t* q = p.rounded_row<std::int16_t>(r);
    for (std::size_t c = 0; c < kWidth; ++c) {
      std::int32_t total = -p.row_shifts[r];
      for (std::size_t k = 0; k < p.depth; ++k)
        total += q[k] * panel[(k / 2 * kWidth + c) * 2 + k % 2];
      const auto bias = hn::Set(d, p.bias == nullptr ? 0.0f : p.bias[column + c]);
      const auto scale = hn::Mul(hn::Set(d, p.row_scales[r]), hn::Set(d, scales[c]));
      hn::StoreU(hn::MulAdd(hn::Set(d, static_cast<float>(total)), scale, bias), d,
                 p.y + r * p.y_stride + column + c);
    }
  }
}

HWY_INLINE void widen_panel(const std::uint8_t* panel, std::size_t depth, std::int16_t* wide) {
  for (std::size_t k = 0; k < depth; ++k) {
    for (std::size_t c = 0; c < kWidth; ++c)
      wide[(k / 2 * kWidth + c) * 2 + k % 2] = panel[(k / 4 * kWidth + c) * 4 + k % 4];
  }
}
#else
// The pairs (k, k+1) of a panel, k even, for a vector of columns.
HWY_INLINE hn::Vec<Shorts> pairs_at(const std::uint8_t* panel, std::size_t k, std::size_t vector) {
  alignas(16) static constexpr std::uint8_t kPairs[2][16] = {
      {0, 128, 1, 128, 4, 128, 5, 128, 8, 128, 9, 128, 12, 128, 13, 128},
      {2, 128, 3, 128, 6, 128, 7, 128, 10, 128, 11, 128, 14, 128, 15, 128}};
  const hn::Repartition<std::uint8_t, Floats> bytes;
  const auto quads = hn::LoadU(bytes, panel + k / 4 * 4 * kWidth + vector * hn::Lanes(bytes));
  return hn::BitCast(Shorts(),
                     hn::TableLookupBytesOr0(quads, hn::LoadDup128(bytes, kPairs[k / 2 % 2])));
}
// The same for a widened panel, [depth / 2][16][2].
HWY_INLINE hn::Vec<Shorts> pairs_at(const std::int16_t* panel, std::size_t k, std::size_t vector) {
  return hn::Load(Shorts(), panel + k * kWidth + vector * kShorts);
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

// The factor and bias of integer sums, for a vector of columns.
struct ColumnScales {
  FloatVector scale, bias;
};

// For vector `v` of the panel whose first column is `column`.
HWY_INLINE ColumnScales column_scales(const QuantizedProduct& p, std::size_t column,
                                      std::size_t v = 0) {
  const Floats d;
  const hn::Repartition<std::int8_t, Floats> bytes;
  const std::size_t before = kWidth * (p.weights_stride - sizeof(float));
  const std::int8_t* const scales = p.weights + column * p.weights_stride + before;
  return {hn::BitCast(d, hn::LoadU(bytes, scales + v * hn::Lanes(bytes))),
          p.bias == nullptr ? hn::Zero(d) : hn::LoadU(d, p.bias + column + v * hn::Lanes(d))};
}

// Converts sums of row `row` to floats.
HWY_INLINE FloatVector scaled_sums(const QuantizedProduct& p, std::size_t row, IntegerVector sums,
                                   const ColumnScales& columns) {
  const Floats d;
  const auto scale = hn::Mul(hn::Set(d, p.row_scales[row]), columns.scale);
  return hn::MulAdd(hn::ConvertTo(d, sums), scale, columns.bias);
}
// The same for sums with weights + 128.
HWY_INLINE FloatVector scaled(const QuantizedProduct& p, std::size_t row, IntegerVector totals,
                              const ColumnScales& columns) {
  return scaled_sums(p, row, hn::Sub(totals, hn::Set(Integers(), p.row_shifts[row])), columns);
}

// `rows` rows, starting at `row`, by the columns of the panel, starting at `column`. The sums go
// through memory vector by vector; scaled in place, they would not all fit in registers.
template <int rows, class T>
HWY_NOINLINE void panel_tile(const QuantizedProduct& p, const T* panel, std::size_t row,
                             std::size_t column) {
  HWY_ALIGN std::int32_t totals[rows][kWidth];
  panel_totals<rows>(p.rounded_row<std::int16_t>(row), p.rounded_stride, panel, p.depth, totals);
  constexpr std::size_t kVectors = kWidth / hn::MaxLanes(Floats());
  const Floats d;
  ColumnScales columns[kVectors];
#pragma GCC unroll 4
  for (std::size_t v = 0; v < kVectors; ++v) columns[v] = column_scales(p, column, v);
  float* y = p.y + row * p.y_stride + column;
  for (std::size_t r = 0; r < rows; ++r, y += p.y_stride) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v)
      hn::StoreU(scaled(p, row + r, hn::Load(Integers(), totals[r] + v * hn::Lanes(d)), columns[v]),
                 d, y + v * hn::Lanes(d));
  }
}

HWY_INLINE void widen_panel(const std::uint8_t* panel, std::size_t depth, std::int16_t* wide) {
  for (std::size_t k = 0; k < depth; k += 2) {
    for (std::size_t v = 0; v < 2 * kWidth / kShorts; ++v, wide += kShorts)
      hn::Store(pairs_at(panel, k, v), Shorts(), wide);
  }
}
#endif

template <class T, int... counts>
struct PanelTileTable {
  static constexpr void (*kernels[])(const QuantizedProduct&, const T*, std::size_t,
                                     std::size_t) = {panel_tile<counts, T>...};
  static constexpr std::size_t kRows = sizeof...(counts);
};
// The fastest number of rows whose sums fit in registers.
#if HWY_MAX_BYTES >= 64
template <class T>
using PanelTiles = PanelTileTable<T, 1, 2, 3, 4, 5, 6, 7, 8>;
#elif HWY_MAX_BYTES >= 32
template <class T>
using PanelTiles = PanelTileTable<T, 1, 2, 3, 4, 5, 6>;
#elif HWY_TARGET == HWY_NEON  // twice the registers, and sums in two parts
template <class T>
using PanelTiles = PanelTileTable<T, 1, 2, 3>;
#else
template <class T>
using PanelTiles = PanelTileTable<T, 1, 2>;
#endif

// All rows by the columns [begin, end) of whole panels. `wide` has room for one panel.
HWY_INLINE void multiply_panels_of_shorts(const QuantizedProduct& p, std::size_t begin,
                                          std::size_t end, std::int16_t* wide) {
  constexpr std::size_t kRows = PanelTiles<std::int16_t>::kRows;
  for (std::size_t column = begin; column < end; column += kWidth) {
    const auto* panel =
        reinterpret_cast<const std::uint8_t*>(p.weights + column * p.weights_stride);
#if HWY_TARGET != HWY_SCALAR
    if (p.rows <= kRows) {
      PanelTiles<std::uint8_t>::kernels[p.rows - 1](p, panel, 0, column);
      continue;
    }
#endif
    widen_panel(panel, p.depth, wide);
    for (std::size_t row = 0; row < p.rows; row += kRows)
      PanelTiles<std::int16_t>::kernels[HWY_MIN(kRows, p.rows - row) - 1](p, wide, row, column);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#endif
