// Packing: GEMM operands rearranged as multiply_tile reads them, and rounded to bf16 if requested.
#if defined(ATTEND_BACKEND_FAST_GEMM_PACK_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTEND_BACKEND_FAST_GEMM_PACK_INL_H
#undef ATTEND_BACKEND_FAST_GEMM_PACK_INL_H
#else
#define ATTEND_BACKEND_FAST_GEMM_PACK_INL_H
#endif

#include "attend/backend/fast/gemm/gemm_bf16-inl.h"
#include "attend/backend/fast/gemm/gemm_kernel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

// A row-major matrix in memory.
struct Operand {
  const float* data;
  std::size_t stride;
};

// Few k at a time: the hardware prefetches this many streams, and a cache line shared by several
// tiles is fetched once.
constexpr std::size_t kStreams = 8;

HWY_INLINE void copy_tile_rows(const float* from, float* to) {
#if HWY_TARGET == HWY_SCALAR
  for (int r = 0; r < kTileRows; ++r) to[r] = from[r];
#else
  const hn::FixedTag<float, 4> four;
  const hn::FixedTag<float, 2> two;
  static_assert(kTileRows == 6 || kTileRows == 12);
  hn::StoreU(hn::LoadU(four, from), four, to);
  if constexpr (kTileRows == 6) {
    hn::StoreU(hn::LoadU(two, from + 4), two, to + 4);
  } else {
    hn::StoreU(hn::LoadU(four, from + 4), four, to + 4);
    hn::StoreU(hn::LoadU(four, from + 8), four, to + 8);
  }
#endif
}

// `rows` rows of a transposed a: packed[row / kTileRows][k][row % kTileRows]. Tiles then read
// consecutive cache lines.
HWY_INLINE void pack_tiles(Operand a, std::size_t rows, std::size_t depth, float* packed) {
  for (std::size_t first = 0; first < depth; first += kStreams) {
    const std::size_t count = HWY_MIN(kStreams, depth - first);
    for (std::size_t row = 0; row < rows; row += kTileRows) {
      const float* from = a.data + first * a.stride + row;
      float* to = packed + row * depth + first * kTileRows;
      if (row + kTileRows <= rows) {
        for (std::size_t i = 0; i < count; ++i, from += a.stride, to += kTileRows) {
          hwy::Prefetch(from + kStreams * a.stride);
          copy_tile_rows(from, to);
        }
      } else {
        for (std::size_t i = 0; i < count; ++i, from += a.stride, to += kTileRows) {
          for (std::size_t r = 0; row + r < rows; ++r) to[r] = from[r];
        }
      }
    }
  }
}

// panels[c / kTileColumns][k][c % kTileColumns] = b[k][c] for c < columns, then zeros.
HWY_INLINE void pack_rows(Operand b, std::size_t depth, std::size_t columns, float* panels) {
  const Floats d;
  for (std::size_t first = 0; first < depth; first += kStreams) {
    const std::size_t last = HWY_MIN(first + kStreams, depth);
    for (std::size_t column = 0; column < columns; column += kTileColumns) {
      const float* from = b.data + first * b.stride + column;
      float* to = panels + column * depth + first * kTileColumns;
      for (std::size_t k = first; k < last; ++k, from += b.stride, to += kTileColumns) {
        hwy::Prefetch(from + kStreams * b.stride);
        if (HWY_LIKELY(column + kTileColumns <= columns)) {
          hn::Store(hn::LoadU(d, from), d, to);
          hn::Store(hn::LoadU(d, from + kLanes), d, to + kLanes);
        } else {
          for (std::size_t c = 0; c < kTileColumns; ++c)
            to[c] = column + c < columns ? from[c] : 0.0f;
        }
      }
    }
  }
}

#if HWY_TARGET != HWY_SCALAR
// Blocks of eight rows (four for short vectors) by four columns of b.
using Group = hn::CappedTag<float, 8>;
constexpr std::size_t kGroup = hn::MaxLanes(Group());

// Calls use(k, column) for k = 0 .. 3: column[r] = b[r * stride + k].
template <class Use>
HWY_INLINE void transpose_block(const float* b, std::size_t stride, const Use& use) {
  const Group d;
  const hn::Repartition<double, Group> pairs;
  const hn::FixedTag<float, 4> four;
#if HWY_MAX_BYTES >= 32
  const auto load = [&](std::size_t row) HWY_ATTR {
    return hn::Combine(d, hn::LoadU(four, b + (row + 4) * stride),
                       hn::LoadU(four, b + row * stride));
  };
#else
  const auto load = [&](std::size_t row) HWY_ATTR { return hn::LoadU(four, b + row * stride); };
#endif
  const auto r0 = load(0), r1 = load(1), r2 = load(2), r3 = load(3);
  const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, r0, r1));
  const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, r2, r3));
  const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, r0, r1));
  const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, r2, r3));
  use(0, hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23)));
  use(1, hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23)));
  use(2, hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23)));
  use(3, hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23)));
}
#endif

// panel[k][c] = b[c][k] for c < columns, then zeros.
HWY_INLINE void pack_columns(Operand b, std::size_t depth, std::size_t columns, float* panel) {
  std::size_t first = 0;
#if HWY_TARGET != HWY_SCALAR
  const Group d;
  const std::size_t whole = depth - depth % 4;
  for (; first + kGroup <= columns; first += kGroup) {
    const float* from = b.data + first * b.stride;
    float* to = panel + first;
    for (std::size_t k = 0; k < whole; k += 4, to += 4 * kTileColumns) {
      transpose_block(from + k, b.stride, [&](std::size_t i, auto column) HWY_ATTR {
        hn::Store(column, d, to + i * kTileColumns);
      });
    }
    for (std::size_t k = whole; k < depth; ++k, to += kTileColumns) {
      for (std::size_t c = 0; c < kGroup; ++c) to[c] = from[c * b.stride + k];
    }
  }
#endif
  for (std::size_t c = first; c < kTileColumns; ++c) {
    for (std::size_t k = 0; k < depth; ++k)
      panel[k * kTileColumns + c] = c < columns ? b.data[c * b.stride + k] : 0.0f;
  }
}

#if HWY_TARGET == HWY_AVX3
// Rows 2 i and 2 i + 1 of a matrix; the second may be past the end and is then zeros.
struct RowPair {
  const float* even;
  const float* odd;  // null: none

  HWY_INLINE FloatVector pairs(std::size_t column, std::size_t count) const {
    const Floats d;
    const auto load = [&](const float* from) HWY_ATTR {
      return count >= kLanes ? hn::LoadU(d, from) : load_part(d, from, count);
    };
    return pair_of(load(even + column), odd != nullptr ? load(odd + column) : hn::Zero(d));
  }
};

HWY_INLINE RowPair row_pair(Operand matrix, std::size_t row, std::size_t rows) {
  const float* even = matrix.data + row * matrix.stride;
  return {even, row + 1 < rows ? even + matrix.stride : nullptr};
}

// pack_tiles() of pairs: packed[row / kTileRows][k / 2][row % kTileRows].
HWY_NOINLINE void pack_tiles_of_pairs(Operand a, std::size_t rows, std::size_t depth,
                                      float* packed) {
  const Floats d;
  static_assert(kTileRows == 12 && kLanes == 16);
  const hn::Half<Floats> eight;
  const hn::Half<decltype(eight)> four;
  const std::size_t half = (depth + 1) / 2;
  for (std::size_t first = 0; first < depth; first += kStreams) {
    const std::size_t last = HWY_MIN(first + kStreams, depth);
    for (std::size_t row = 0; row < rows; row += kTileRows) {
      const std::size_t count = HWY_MIN(rows - row, std::size_t{kTileRows});
      float* to = packed + row * half + first / 2 * kTileRows;
      for (std::size_t k = first; k < last; k += 2, to += kTileRows) {
        const RowPair from = row_pair(a, k, depth);
        hwy::Prefetch(from.even + row + kStreams * a.stride);
        hwy::Prefetch(from.even + row + (kStreams + 1) * a.stride);
        const auto pairs = from.pairs(row, count);
        if (HWY_LIKELY(count == kTileRows)) {
          hn::StoreU(hn::LowerHalf(eight, pairs), eight, to);
          hn::StoreU(hn::LowerHalf(four, hn::UpperHalf(eight, pairs)), four, to + 8);
        } else {
          store_part(pairs, d, to, count);
        }
      }
    }
  }
}

// pack_rows() of pairs: panels[c / kTileColumns][k / 2][c % kTileColumns].
HWY_NOINLINE void pack_rows_of_pairs(Operand b, std::size_t depth, std::size_t columns,
                                     float* panels) {
  const Floats d;
  const std::size_t half = (depth + 1) / 2;
  for (std::size_t first = 0; first < depth; first += kStreams) {
    const std::size_t last = HWY_MIN(first + kStreams, depth);
    for (std::size_t column = 0; column < columns; column += kTileColumns) {
      float* to = panels + column * half + first / 2 * kTileColumns;
      for (std::size_t k = first; k < last; k += 2) {
        const RowPair from = row_pair(b, k, depth);
        for (std::size_t c = column; c < column + kTileColumns; c += kLanes, to += kLanes) {
          hwy::Prefetch(from.even + c + kStreams * b.stride);
          hwy::Prefetch(from.even + c + (kStreams + 1) * b.stride);
          hn::Store(c < columns ? from.pairs(c, columns - c) : hn::Zero(d), d, to);
        }
      }
    }
  }
}

// pack_columns() for pairs. Pairs are made along the depth first, to halve the transposed data.
HWY_NOINLINE void pack_columns_of_pairs(Operand b, std::size_t depth, std::size_t columns,
                                        float* panel) {
  constexpr std::size_t kMost = 128;  // pairs
  HWY_ALIGN float pairs[kTileColumns * kMost];
  for (std::size_t k = 0; k < depth; k += 2 * kMost) {
    const std::size_t count = HWY_MIN(2 * kMost, depth - k), half = (count + 1) / 2;
    for (std::size_t c = 0; c < columns; ++c)
      pair_neighbors(b.data + c * b.stride + k, count, pairs + c * half);
    pack_columns({pairs, half}, half, columns, panel + k / 2 * kTileColumns);
  }
}
#endif

// The number of packed lanes for `depth` elements.
HWY_INLINE std::size_t packed_depth(std::size_t depth, Packing packing) {
  return packing == Packing::bf16_pairs ? (depth + 1) / 2 : depth;
}

// `rows` rows of a: [row][k]. Prefetched, because rows are far apart if the depth is large.
HWY_NOINLINE void pack_a(Operand a, std::size_t rows, std::size_t depth, Packing packing,
                         float* packed) {
  constexpr std::size_t kLine = 64 / sizeof(float), kRowsAhead = 4;
  const std::size_t stride = packed_depth(depth, packing);
  for (std::size_t row = 0; row < rows; ++row, packed += stride) {
    const float* from = a.data + row * a.stride;
    for (std::size_t k = 0; k < depth; k += kLine) hwy::Prefetch(from + kRowsAhead * a.stride + k);
#if HWY_TARGET == HWY_AVX3
    if (packing == Packing::bf16_pairs) {
      pair_neighbors(from, depth, packed);
      continue;
    }
#endif
    round_row_to_bf16(from, depth, packed);
  }
}

// `rows` rows of a transposed a, tile by tile: [row / kTileRows][k][row % kTileRows].
HWY_INLINE void pack_transposed_a(Operand a, std::size_t rows, std::size_t depth, Packing packing,
                                  float* packed) {
#if HWY_TARGET == HWY_AVX3
  if (packing == Packing::bf16_pairs) return pack_tiles_of_pairs(a, rows, depth, packed);
#endif
  pack_tiles(a, rows, depth, packed);
  if (packing == Packing::bf16_floats)
    round_row_to_bf16(packed, (rows + kTileRows - 1) / kTileRows * kTileRows * depth, packed);
}

// Rows of b, `columns` wide, in panels: [c / kTileColumns][k][c % kTileColumns], padded with zeros.
HWY_INLINE void pack_b(Operand b, std::size_t depth, std::size_t columns, Packing packing,
                       float* panels) {
#if HWY_TARGET == HWY_AVX3
  if (packing == Packing::bf16_pairs) return pack_rows_of_pairs(b, depth, columns, panels);
#endif
  pack_rows(b, depth, columns, panels);
  const std::size_t width = (columns + kTileColumns - 1) / kTileColumns * kTileColumns;
  if (packing == Packing::bf16_floats) round_row_to_bf16(panels, depth * width, panels);
}

// The same for a transposed b: [columns][depth] in memory.
HWY_NOINLINE void pack_transposed_b(Operand b, std::size_t depth, std::size_t columns,
                                    Packing packing, float* panels) {
  const std::size_t distance = packed_depth(depth, packing) * kTileColumns;
  for (std::size_t c = 0; c < columns; c += kTileColumns, panels += distance) {
    const Operand from{b.data + c * b.stride, b.stride};
    const std::size_t width = HWY_MIN(kTileColumns, columns - c);
#if HWY_TARGET == HWY_AVX3
    if (packing == Packing::bf16_pairs) {
      pack_columns_of_pairs(from, depth, width, panels);
      continue;
    }
#endif
    pack_columns(from, depth, width, panels);
    if (packing == Packing::bf16_floats) round_row_to_bf16(panels, distance, panels);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#endif
