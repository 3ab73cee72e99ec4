// Products with weights in 8 bits that lie in panels (tensor/panels.h). An instruction multiplies two neighbours of a row, broadcast, with
// those of as many columns as it has lanes, so nothing needs to be added up across lanes. Weights are widened to 16 bits where they are
// read, or once for many rows.
#if defined(ATTEND_BACKEND_FAST_QUANTIZED_PANELS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTEND_BACKEND_FAST_QUANTIZED_PANELS_INL_H
#undef ATTEND_BACKEND_FAST_QUANTIZED_PANELS_INL_H
#else
#define ATTEND_BACKEND_FAST_QUANTIZED_PANELS_INL_H
#endif

#include "attend/backend/fast/quantized.h"
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

// How sums grow by pairs of products. `odd` is where the instruction set splits a sum in two; zero where not.
#if HWY_TARGET != HWY_SCALAR
struct MultiplyThenAdd {
  static HWY_INLINE void pairs(hn::Vec<Shorts> a, hn::Vec<Shorts> b, IntegerVector& sum, IntegerVector& odd) {
    sum = hn::ReorderWidenMulAccumulate(Integers(), a, b, sum, odd);
  }
};
#else
struct MultiplyThenAdd {};
#endif
#if HWY_TARGET == HWY_AVX3
// One instruction, by its name: compilers know it as an intrinsic only in functions for processors that all have it.
struct MultiplyAdd {
  static HWY_INLINE void pairs(hn::Vec<Shorts> a, hn::Vec<Shorts> b, IntegerVector& sum, IntegerVector&) {
    asm("vpdpwssd %2, %1, %0" : "+v"(sum.raw) : "v"(a.raw), "v"(b.raw));
  }
};
#endif

#if HWY_TARGET == HWY_SCALAR
// `rows` rows from `row` on by the columns of the panel, [depth / 2][16][2], the first of which is `column`.
template <int rows, class, class T>
HWY_NOINLINE void panel_tile(const QuantizedProduct& p, const T* panel, std::size_t row, std::size_t column) {
  const Floats d;
  float scales[kWidth];
  __builtin_memcpy(scales, p.weights + column * p.weights_stride + kWidth * p.depth, sizeof scales);
  for (std::size_t r = row; r < row + rows; ++r) {
    const std::int16_t* q = p.rounded + r * p.rounded_stride;
    for (std::size_t c = 0; c < kWidth; ++c) {
      std::int32_t total = 0;
      for (std::size_t k = 0; k < p.depth; ++k) total += q[k] * panel[(k / 2 * kWidth + c) * 2 + k % 2];
      const auto bias = hn::Set(d, p.bias == nullptr ? 0.0f : p.bias[column + c]);
      const auto scale = hn::Mul(hn::Set(d, p.row_scales[r]), hn::Set(d, scales[c]));
      hn::StoreU(hn::MulAdd(hn::Set(d, static_cast<float>(total)), scale, bias), d, p.y + r * p.y_stride + column + c);
    }
  }
}

HWY_INLINE void widen_panel(const std::int8_t* panel, std::size_t depth, std::int16_t* wide) {
  for (std::size_t i = 0; i < kWidth * depth; ++i) wide[i] = panel[i];
}
#else
HWY_INLINE hn::Vec<Shorts> shorts_at(const std::int8_t* from) { return hn::PromoteTo(Shorts(), hn::LoadU(Bytes(), from)); }
HWY_INLINE hn::Vec<Shorts> shorts_at(const std::int16_t* from) { return hn::Load(Shorts(), from); }

// totals[r][c] = q[r] . column c of the panel, [depth / 2][16][2].
template <int rows, class Add, class T>
HWY_INLINE void panel_totals(const std::int16_t* q, std::size_t stride, const T* panel, std::size_t depth, std::int32_t (*totals)[kWidth]) {
  constexpr std::size_t kVectors = 2 * kWidth / kShorts;
  const Integers d;
  const Shorts shorts;
  IntegerVector sums[rows][kVectors];
  IntegerVector odd[rows][kVectors];
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v) sums[r][v] = odd[r][v] = hn::Zero(d);
  }
  for (std::size_t k = 0; k < depth; k += 2, panel += 2 * kWidth) {
    hn::Vec<Shorts> weights[kVectors];
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v) weights[v] = shorts_at(panel + v * kShorts);
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) {
      std::int32_t pair;
      __builtin_memcpy(&pair, q + static_cast<std::size_t>(r) * stride + k, sizeof pair);
      const auto both = hn::BitCast(shorts, hn::Set(d, pair));
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kVectors; ++v) Add::pairs(both, weights[v], sums[r][v], odd[r][v]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v)
      hn::Store(hn::RearrangeToOddPlusEven(sums[r][v], odd[r][v]), d, totals[r] + v * hn::Lanes(d));
  }
}

// `rows` rows from `row` on by the columns of the panel, the first of which is `column`. The sums go through memory, vector by vector: were
// they scaled where they are, compilers would keep too much in registers to have room for all sums.
template <int rows, class Add, class T>
HWY_NOINLINE void panel_tile(const QuantizedProduct& p, const T* panel, std::size_t row, std::size_t column) {
  HWY_ALIGN std::int32_t totals[rows][kWidth];
  panel_totals<rows, Add>(p.rounded + row * p.rounded_stride, p.rounded_stride, panel, p.depth, totals);
  constexpr std::size_t kVectors = kWidth / hn::MaxLanes(Floats());
  const Floats d;
  const Integers integers;
  const hn::Repartition<std::int8_t, Floats> bytes;
  const std::int8_t* const column_scales = p.weights + column * p.weights_stride + kWidth * p.depth;
  FloatVector scales[kVectors], bias[kVectors];
#pragma GCC unroll 4
  for (std::size_t v = 0; v < kVectors; ++v) {
    scales[v] = hn::BitCast(d, hn::LoadU(bytes, column_scales + v * hn::Lanes(bytes)));
    bias[v] = p.bias == nullptr ? hn::Zero(d) : hn::LoadU(d, p.bias + column + v * hn::Lanes(d));
  }
  float* y = p.y + row * p.y_stride + column;
  for (std::size_t r = 0; r < rows; ++r, y += p.y_stride) {
    const auto row_scale = hn::Set(d, p.row_scales[row + r]);
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v) {
      const auto total = hn::ConvertTo(d, hn::Load(integers, totals[r] + v * hn::Lanes(d)));
      hn::StoreU(hn::MulAdd(total, hn::Mul(row_scale, scales[v]), bias[v]), d, y + v * hn::Lanes(d));
    }
  }
}

HWY_INLINE void widen_panel(const std::int8_t* panel, std::size_t depth, std::int16_t* wide) {
  for (std::size_t i = 0; i < kWidth * depth; i += kShorts) hn::Store(shorts_at(panel + i), Shorts(), wide + i);
}
#endif

template <class Add, class T, int... counts>
struct PanelTileTable {
  static constexpr void (*kernels[])(const QuantizedProduct&, const T*, std::size_t, std::size_t) = {panel_tile<counts, Add, T>...};
  static constexpr std::size_t kRows = sizeof...(counts);
};
// As many rows as were fastest, or as the registers can hold the sums of.
#if HWY_MAX_BYTES >= 64
template <class Add, class T>
using PanelTiles = PanelTileTable<Add, T, 1, 2, 3, 4, 5, 6, 7, 8>;
#elif HWY_MAX_BYTES >= 32
template <class Add, class T>
using PanelTiles = PanelTileTable<Add, T, 1, 2, 3, 4, 5, 6>;
#else
template <class Add, class T>
using PanelTiles = PanelTileTable<Add, T, 1, 2>;
#endif

// All rows by the columns [begin, end) of whole panels.
template <class Add>
HWY_INLINE void quantized_panels(const QuantizedProduct& p, std::size_t begin, std::size_t end, std::int16_t* wide) {
  constexpr std::size_t kRows = PanelTiles<Add, std::int8_t>::kRows;
  for (std::size_t column = begin; column < end; column += kWidth) {
    const std::int8_t* panel = p.weights + column * p.weights_stride;
    if (p.rows <= kRows) {
      PanelTiles<Add, std::int8_t>::kernels[p.rows - 1](p, panel, 0, column);
      continue;
    }
    widen_panel(panel, p.depth, wide);
    for (std::size_t row = 0; row < p.rows; row += kRows)
      PanelTiles<Add, std::int16_t>::kernels[HWY_MIN(kRows, p.rows - row) - 1](p, wide, row, column);
  }
}

HWY_INLINE void quantized_panels_of_this_processor(const QuantizedProduct& p, std::size_t begin, std::size_t end, std::int16_t* wide) {
#if HWY_TARGET == HWY_AVX3
  if (__builtin_cpu_supports("avx512vnni")) return quantized_panels<MultiplyAdd>(p, begin, end, wide);
#endif
  quantized_panels<MultiplyThenAdd>(p, begin, end, wide);
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#endif
