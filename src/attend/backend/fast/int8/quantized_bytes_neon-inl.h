// GEMM with packed 8-bit weights (cpu/packed_weights.h) on ARM CPUs with byte products. Written as
// assembly, because compilers accept the intrinsics only in functions that target such CPUs.
//
// dotprod: sdot adds four products of signed bytes to each lane: those of four columns, and of four
// neighbors of a row, which it picks from a vector. i8mm: usmmla multiplies eight neighbors of two
// rows by those of two columns, twice as many products, and takes unsigned weights as they are; one
// row alone has usdot.
#if defined(ATTEND_BACKEND_FAST_QUANTIZED_BYTES_NEON_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTEND_BACKEND_FAST_QUANTIZED_BYTES_NEON_INL_H
#undef ATTEND_BACKEND_FAST_QUANTIZED_BYTES_NEON_INL_H
#else
#define ATTEND_BACKEND_FAST_QUANTIZED_BYTES_NEON_INL_H
#endif

#include "attend/backend/fast/cpu_extensions.h"
#include "attend/backend/fast/int8/quantized_panels-inl.h"

#if HWY_TARGET == HWY_NEON
HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

using UnsignedBytes = hn::Repartition<std::uint8_t, Floats>;
using ByteVector = hn::Vec<UnsignedBytes>;

// A panel has vectors of four columns each, side by side.
constexpr int kPanelVectors = 4;
constexpr std::size_t kVectorBytes = 16;
static_assert(kPanelVectors * kVectorBytes == 4 * kWidth);

// Products of signed bytes: weights are stored with 128 added.
struct SignedProducts {
  static HWY_INLINE ByteVector weights(const std::uint8_t* stored) {
    const UnsignedBytes d;
    return hn::Xor(hn::LoadU(d, stored), hn::Set(d, 0x80));
  }
  // Adds to each lane the products of its four weights and the four activations of lane `quad`.
  template <int quad>
  static HWY_INLINE void add(ByteVector weights, ByteVector activations, IntegerVector& sums) {
    asm(".arch armv8.6-a+crypto\n\tsdot %0.4s, %1.16b, %2.4b[%c3]"
        : "+w"(sums.raw)
        : "w"(weights.raw), "w"(activations.raw), "i"(quad));
  }
  static HWY_INLINE FloatVector scaled_totals(const QuantizedProduct& p, std::size_t row,
                                              IntegerVector sums, const ColumnScales& columns) {
    return scaled_sums(p, row, sums, columns);
  }
};

// Products of unsigned weights and signed activations.
struct MixedProducts {
  static HWY_INLINE ByteVector weights(const std::uint8_t* stored) {
    return hn::LoadU(UnsignedBytes(), stored);
  }
  template <int quad>
  static HWY_INLINE void add(ByteVector weights, ByteVector activations, IntegerVector& sums) {
    asm(".arch armv8.6-a+crypto\n\tusdot %0.4s, %1.16b, %2.4b[%c3]"
        : "+w"(sums.raw)
        : "w"(weights.raw), "w"(activations.raw), "i"(quad));
  }
  static HWY_INLINE FloatVector scaled_totals(const QuantizedProduct& p, std::size_t row,
                                              IntegerVector sums, const ColumnScales& columns) {
    return scaled(p, row, sums, columns);
  }
};

// Finishes the sums of row `row` by the columns of a panel: adds what bytes do not hold of the row,
// and writes y.
template <class Products>
HWY_INLINE void finish_row(const QuantizedProduct& p, std::size_t row, std::size_t column,
                           IntegerVector* sums) {
  const Integers d;
  const auto* const panel =
      reinterpret_cast<const std::uint8_t*>(p.weights + column * p.weights_stride);
  const Outlier* const outliers = p.outliers + row * p.most_outliers;
  IntegerVector high[kPanelVectors];
#pragma GCC unroll 4
  for (int v = 0; v < kPanelVectors; ++v) high[v] = hn::Zero(d);
  for (std::int32_t o = 0; o < p.outlier_counts[row]; ++o) {
    const auto index = static_cast<std::uint32_t>(outliers[o].index);
    const auto byte = static_cast<std::uint8_t>(outliers[o].high);
    const auto activations =
        hn::BitCast(UnsignedBytes(),
                    hn::Set(d, static_cast<std::int32_t>(std::uint32_t{byte} << 8 * (index % 4))));
    const std::uint8_t* const quads = panel + std::size_t{index / 4} * 4 * kWidth;
#pragma GCC unroll 4
    for (int v = 0; v < kPanelVectors; ++v)
      Products::template add<0>(
          Products::weights(quads + static_cast<std::size_t>(v) * kVectorBytes), activations,
          high[v]);
  }
  float* const y = p.y + row * p.y_stride + column;
#pragma GCC unroll 4
  for (int v = 0; v < kPanelVectors; ++v) {
    const auto vector = static_cast<std::size_t>(v);
    const auto totals = hn::Add(sums[v], hn::ShiftLeft<8>(high[v]));
    const ColumnScales columns = column_scales(p, column, vector);
    hn::StoreU(Products::scaled_totals(p, row, totals, columns), Floats(),
               y + vector * hn::Lanes(d));
  }
}

// Adds the products of four of the depth, the four in lane `quad` of the activations of each row.
template <class Products, int rows, int quad>
HWY_INLINE void add_quad(const std::uint8_t* weights, const ByteVector* activations,
                         IntegerVector (*sums)[kPanelVectors]) {
  ByteVector columns[kPanelVectors];
#pragma GCC unroll 4
  for (int v = 0; v < kPanelVectors; ++v)
    columns[v] = Products::weights(weights + static_cast<std::size_t>(quad * kPanelVectors + v) *
                                                 kVectorBytes);
#pragma GCC unroll 5
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kPanelVectors; ++v)
      Products::template add<quad>(columns[v], activations[r], sums[r][v]);
  }
}

// `rows` rows, starting at `row`, by the columns of the panel, starting at `column`.
template <class Products, int rows>
HWY_NOINLINE void dots_tile(const QuantizedProduct& p, std::size_t row, std::size_t column) {
  const auto* weights =
      reinterpret_cast<const std::uint8_t*>(p.weights + column * p.weights_stride);
  const auto* const q = p.rounded_row<std::uint8_t>(row);
  const std::size_t stride = p.rounded_stride;
  IntegerVector sums[rows][kPanelVectors];
#pragma GCC unroll 5
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kPanelVectors; ++v) sums[r][v] = hn::Zero(Integers());
  }
  ByteVector activations[rows];
  std::size_t k = 0;
  for (; k + 16 <= p.depth; k += 16, weights += 16 * kWidth) {
#pragma GCC unroll 5
    for (int r = 0; r < rows; ++r)
      activations[r] = hn::LoadU(UnsignedBytes(), q + static_cast<std::size_t>(r) * stride + k);
    add_quad<Products, rows, 0>(weights, activations, sums);
    add_quad<Products, rows, 1>(weights, activations, sums);
    add_quad<Products, rows, 2>(weights, activations, sums);
    add_quad<Products, rows, 3>(weights, activations, sums);
  }
  for (; k < p.depth; k += 4, weights += 4 * kWidth) {
#pragma GCC unroll 5
    for (int r = 0; r < rows; ++r) {
      std::int32_t four;
      __builtin_memcpy(&four, q + static_cast<std::size_t>(r) * stride + k, sizeof four);
      activations[r] = hn::BitCast(UnsignedBytes(), hn::Set(Integers(), four));
    }
    add_quad<Products, rows, 0>(weights, activations, sums);
  }
#pragma GCC unroll 5
  for (int r = 0; r < rows; ++r)
    finish_row<Products>(p, row + static_cast<std::size_t>(r), column, sums[r]);
}

// Adds the products of two columns and two rows: of column c and row r to lane 2 c + r.
HWY_INLINE void add_matrix(ByteVector weights, ByteVector activations, IntegerVector& sums) {
  asm(".arch armv8.6-a+crypto\n\tusmmla %0.4s, %1.16b, %2.16b"
      : "+w"(sums.raw)
      : "w"(weights.raw), "w"(activations.raw));
}

// Eight bytes of each of two rows.
HWY_INLINE ByteVector eight_of_two(const std::uint8_t* first, const std::uint8_t* second) {
  const hn::Half<UnsignedBytes> half;
  return hn::Combine(UnsignedBytes(), hn::LoadU(half, second), hn::LoadU(half, first));
}

// dots_tile() with usmmla, for pairs of rows. An odd one is its own partner.
template <int rows>
HWY_NOINLINE void matrices_tile(const QuantizedProduct& p, std::size_t row, std::size_t column) {
  constexpr int kPairs = (rows + 1) / 2;
  const Integers d;
  const hn::Repartition<std::uint32_t, Floats> quads;
  const auto* weights =
      reinterpret_cast<const std::uint8_t*>(p.weights + column * p.weights_stride);
  const std::uint8_t* from[2 * kPairs];
  IntegerVector sums[kPairs][2 * kPanelVectors];
#pragma GCC unroll 3
  for (int pair = 0; pair < kPairs; ++pair) {
    from[2 * pair] = p.rounded_row<std::uint8_t>(row + static_cast<std::size_t>(2 * pair));
    from[2 * pair + 1] = 2 * pair + 1 < rows ? from[2 * pair] + p.rounded_stride : from[2 * pair];
#pragma GCC unroll 8
    for (int v = 0; v < 2 * kPanelVectors; ++v) sums[pair][v] = hn::Zero(d);
  }
  // If the depth is no multiple of eight, the last activations are zeros, and meet scales.
  for (std::size_t k = 0; k < p.depth; k += 8, weights += 8 * kWidth) {
    ByteVector activations[kPairs];
#pragma GCC unroll 3
    for (int pair = 0; pair < kPairs; ++pair)
      activations[pair] = eight_of_two(from[2 * pair] + k, from[2 * pair + 1] + k);
#pragma GCC unroll 4
    for (int v = 0; v < kPanelVectors; ++v) {
      const std::uint8_t* const at = weights + static_cast<std::size_t>(v) * kVectorBytes;
      const auto first = hn::BitCast(quads, hn::LoadU(UnsignedBytes(), at));
      const auto second = hn::BitCast(quads, hn::LoadU(UnsignedBytes(), at + 4 * kWidth));
      const auto low = hn::BitCast(UnsignedBytes(), hn::InterleaveLower(quads, first, second));
      const auto high = hn::BitCast(UnsignedBytes(), hn::InterleaveUpper(quads, first, second));
#pragma GCC unroll 3
      for (int pair = 0; pair < kPairs; ++pair) {
        add_matrix(low, activations[pair], sums[pair][2 * v]);
        add_matrix(high, activations[pair], sums[pair][2 * v + 1]);
      }
    }
  }
#pragma GCC unroll 3
  for (int pair = 0; pair < kPairs; ++pair) {
    IntegerVector even[kPanelVectors], odd[kPanelVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kPanelVectors; ++v) {
      even[v] = hn::ConcatEven(d, sums[pair][2 * v + 1], sums[pair][2 * v]);
      odd[v] = hn::ConcatOdd(d, sums[pair][2 * v + 1], sums[pair][2 * v]);
    }
    const std::size_t first = row + static_cast<std::size_t>(2 * pair);
    finish_row<MixedProducts>(p, first, column, even);
    if (2 * pair + 1 < rows) finish_row<MixedProducts>(p, first + 1, column, odd);
  }
}

// The kernels for tiles of 1, 2, ... rows: as many as have their sums in registers. Rows are given
// out in units of `unit`.
using ByteTile = void (*)(const QuantizedProduct&, std::size_t, std::size_t);
struct ByteTiles {
  const ByteTile* kernels;
  std::size_t most, unit;
};
HWY_INLINE ByteTiles byte_tiles() {
  static constexpr ByteTile kDots[] = {dots_tile<SignedProducts, 1>, dots_tile<SignedProducts, 2>,
                                       dots_tile<SignedProducts, 3>, dots_tile<SignedProducts, 4>,
                                       dots_tile<SignedProducts, 5>};
  static constexpr ByteTile kMatrices[] = {dots_tile<MixedProducts, 1>,
                                           matrices_tile<2>,
                                           matrices_tile<3>,
                                           matrices_tile<4>,
                                           matrices_tile<5>,
                                           matrices_tile<6>};
  return cpu_extensions().i8mm ? ByteTiles{kMatrices, 6, 2} : ByteTiles{kDots, 5, 1};
}

// All rows by the columns [begin, end) of whole panels. Rows are distributed evenly.
HWY_INLINE void multiply_panels_of_bytes(const QuantizedProduct& p, std::size_t begin,
                                         std::size_t end) {
  const ByteTiles tiles = byte_tiles();
  const std::size_t count = (p.rows + tiles.most - 1) / tiles.most;
  for (std::size_t column = begin; column < end; column += kWidth) {
    for (std::size_t tile = 0, row = 0; tile < count; ++tile) {
      const std::size_t left = (p.rows - row + tiles.unit - 1) / tiles.unit, others = count - tile;
      const std::size_t rows = HWY_MIN((left + others - 1) / others * tiles.unit, p.rows - row);
      tiles.kernels[rows - 1](p, row, column);
      row += rows;
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();
#endif

#endif
