// GEMM with packed 8-bit weights (cpu/packed_weights.h) on CPUs with byte dot products: vpdpbusd of
// AVX-512 VNNI adds four products of an unsigned and a signed byte to each lane. Four neighbors of
// a row, broadcast, meet those of 16 columns.
#if defined(ATTEND_BACKEND_FAST_QUANTIZED_BYTES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTEND_BACKEND_FAST_QUANTIZED_BYTES_INL_H
#undef ATTEND_BACKEND_FAST_QUANTIZED_BYTES_INL_H
#else
#define ATTEND_BACKEND_FAST_QUANTIZED_BYTES_INL_H
#endif

#include "attend/backend/fast/int8/quantized_panels-inl.h"

#if HWY_TARGET == HWY_AVX3
HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

// Written as assembly, because compilers accept the intrinsic only in functions that target VNNI
// CPUs.
HWY_INLINE void add_four_products(IntegerVector weights, IntegerVector activations,
                                  IntegerVector& sum) {
  asm("vpdpbusd %2, %1, %0" : "+v"(sum.raw) : "v"(weights.raw), "v"(activations.raw));
}

// The part of the next panels that a tile brings nearer: `step` bytes from `from` for every four of
// the depth.
struct BytesAhead {
  const std::int8_t* from;
  std::size_t step;
};

// Adds to the sums of row `row` what bytes do not hold of it. `weights` are the panels, `distance`
// bytes apart.
template <int panels>
HWY_INLINE void add_outliers_to_sums(const QuantizedProduct& p, std::size_t row,
                                     const std::int8_t* weights, std::size_t distance,
                                     IntegerVector* sums) {
  const std::int32_t count = p.outlier_counts[row];
  if (HWY_LIKELY(count == 0)) return;
  const Integers d;
  IntegerVector high[panels];
#pragma GCC unroll 4
  for (int i = 0; i < panels; ++i) high[i] = hn::Zero(d);
  const Outlier* const outliers = p.outliers + row * p.most_outliers;
  for (std::int32_t o = 0; o < count; ++o) {
    const auto index = static_cast<std::uint32_t>(outliers[o].index);
    const auto byte = static_cast<std::uint8_t>(outliers[o].high);
    const auto activations =
        hn::Set(d, static_cast<std::int32_t>(std::uint32_t{byte} << 8 * (index % 4)));
    const std::int8_t* const quads = weights + std::size_t{index / 4} * 4 * kWidth;
#pragma GCC unroll 4
    for (int i = 0; i < panels; ++i)
      add_four_products(hn::LoadU(d, reinterpret_cast<const std::int32_t*>(
                                         quads + static_cast<std::size_t>(i) * distance)),
                        activations, high[i]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < panels; ++i) sums[i] = hn::Add(sums[i], hn::ShiftLeft<8>(high[i]));
}

// `rows` rows, starting at `row`, by the columns of `panels` panels, starting at `column`.
template <int rows, int panels>
HWY_NOINLINE void bytes_tile(const QuantizedProduct& p, std::size_t row, std::size_t column,
                             BytesAhead ahead) {
  const Integers d;
  const std::int8_t* q = p.rounded_row<std::int8_t>(row);
  const std::int8_t* weights = p.weights + column * p.weights_stride;
  const std::size_t stride = p.rounded_stride, distance = kWidth * p.weights_stride;
  IntegerVector sums[rows][panels];
#pragma GCC unroll 12
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 4
    for (int i = 0; i < panels; ++i) sums[r][i] = hn::Zero(d);
  }
  for (std::size_t k = 0; k < p.depth; k += 4, q += 4, weights += 4 * kWidth) {
    if constexpr (panels < 4) {  // few rows wait for memory anyway
#pragma GCC unroll 4
      for (int i = 0; i < panels; ++i)
        prefetch_to_l2(ahead.from + static_cast<std::size_t>(i) * distance);
      ahead.from += ahead.step;
    }
    IntegerVector quads[panels];
#pragma GCC unroll 4
    for (int i = 0; i < panels; ++i)
      quads[i] = hn::LoadU(d, reinterpret_cast<const std::int32_t*>(
                                  weights + static_cast<std::size_t>(i) * distance));
#pragma GCC unroll 12
    for (int r = 0; r < rows; ++r) {
      std::int32_t four;
      __builtin_memcpy(&four, q + static_cast<std::size_t>(r) * stride, sizeof four);
      const auto activations = hn::Set(d, four);
#pragma GCC unroll 4
      for (int i = 0; i < panels; ++i) add_four_products(quads[i], activations, sums[r][i]);
    }
  }
  const std::int8_t* const panel = p.weights + column * p.weights_stride;
#pragma GCC unroll 12
  for (int r = 0; r < rows; ++r)
    add_outliers_to_sums<panels>(p, row + static_cast<std::size_t>(r), panel, distance, sums[r]);
#pragma GCC unroll 4
  for (int i = 0; i < panels; ++i) {
    const std::size_t first = column + static_cast<std::size_t>(i) * kWidth;
    const ColumnScales columns = column_scales(p, first);
    float* y = p.y + row * p.y_stride + first;
#pragma GCC unroll 12
    for (int r = 0; r < rows; ++r, y += p.y_stride)
      hn::StoreU(scaled(p, row + static_cast<std::size_t>(r), sums[r][i], columns), Floats(), y);
  }
}

using BytesTile = void (*)(const QuantizedProduct&, std::size_t, std::size_t, BytesAhead);
template <int panels, int... counts>
struct BytesTileTable {
  static constexpr BytesTile kernels[] = {bytes_tile<counts, panels>...};
};

// Columns [begin, end), a multiple of `panels` panels, by all rows, which are distributed evenly.
template <int panels, class Table>
HWY_INLINE void bytes_columns(const QuantizedProduct& p, std::size_t begin, std::size_t end) {
  constexpr std::size_t kMostRows = sizeof(Table::kernels) / sizeof(BytesTile);
  const std::size_t tiles = (p.rows + kMostRows - 1) / kMostRows;
  constexpr std::size_t kColumns = panels * kWidth;
  for (std::size_t column = begin; column < end; column += kColumns) {
    const bool last = column + kColumns >= end;
    BytesAhead ahead{p.weights + (last ? column : column + kColumns) * p.weights_stride,
                     last ? 0 : (4 * kWidth + tiles - 1) / tiles};
    for (std::size_t tile = 0, row = 0; tile < tiles; ++tile) {
      const std::size_t rows = (p.rows - row + tiles - tile - 1) / (tiles - tile);
      Table::kernels[rows - 1](p, row, column, ahead);
      ahead.from += p.depth / 4 * ahead.step;
      row += rows;
    }
  }
}

// All rows by the columns [begin, end) of whole panels, with as many sums at a time as fit in
// registers.
HWY_INLINE void multiply_panels_of_bytes(const QuantizedProduct& p, std::size_t begin,
                                         std::size_t end) {
  using Four = BytesTileTable<4, 1, 2, 3, 4, 5, 6>;
  using Two = BytesTileTable<2, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12>;
  using One = BytesTileTable<1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12>;
  std::size_t column = begin;
  const auto whole = [&](std::size_t panels) {
    return column + (end - column) / (panels * kWidth) * (panels * kWidth);
  };
  if (p.rows <= 6) {
    bytes_columns<4, Four>(p, column, whole(4));
    column = whole(4);
  }
  bytes_columns<2, Two>(p, column, whole(2));
  column = whole(2);
  bytes_columns<1, One>(p, column, end);
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();
#endif

#endif
