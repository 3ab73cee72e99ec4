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
#include "attend/backend/fast/int8/quantized_tiles-inl.h"

#if HWY_TARGET == HWY_NEON
HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

// A panel has vectors of four columns each, side by side.
constexpr int kPanelVectors = 4;
constexpr std::size_t kVectorBytes = 16;
static_assert(kPanelVectors * kVectorBytes == 4 * kWidth);

// Products of signed bytes: weights are stored with 128 added.
struct SignedProducts {
  static constexpr bool kShifted = false;
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
};

// Products of unsigned weights and signed activations.
struct MixedProducts {
  static constexpr bool kShifted = true;
  static HWY_INLINE ByteVector weights(const std::uint8_t* stored) {
    return hn::LoadU(UnsignedBytes(), stored);
  }
  template <int quad>
  static HWY_INLINE void add(ByteVector weights, ByteVector activations, IntegerVector& sums) {
    asm(".arch armv8.6-a+crypto\n\tusdot %0.4s, %1.16b, %2.4b[%c3]"
        : "+w"(sums.raw)
        : "w"(weights.raw), "w"(activations.raw), "i"(quad));
  }
};

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

// A panel with rows one by one.
template <class Products>
struct DotsTile {
  static constexpr int kMostRows = 5, kRowUnit = 1, kVectors = kPanelVectors;
  static constexpr bool kInBytes = true, kShifted = Products::kShifted;

  template <int rows>
  HWY_INLINE void add_products(const QuantizedProduct& p, const TilePlace& place,
                               IntegerVector (*sums)[kPanelVectors]) const {
    const std::uint8_t* weights = columns_at(p, place.column).panel;
    const auto* const q = p.rounded_row<std::uint8_t>(place.row);
    const std::size_t stride = p.rounded_stride;
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
  }

  static HWY_INLINE void add_outlier(const QuantizedProduct&, const PanelColumns& columns,
                                     const Outlier& outlier, IntegerVector& sum) {
    const auto index = static_cast<std::uint32_t>(outlier.index);
    const auto byte = static_cast<std::uint8_t>(outlier.high);
    const auto activations =
        hn::Set(Integers(), static_cast<std::int32_t>(std::uint32_t{byte} << 8 * (index % 4)));
    const auto* const quads = columns.panel + std::size_t{index / 4} * 4 * kWidth + columns.offset;
    Products::template add<0>(Products::weights(quads), hn::BitCast(UnsignedBytes(), activations),
                              sum);
  }
};

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

// A panel with usmmla, for pairs of rows. An odd one is its own partner; one alone has usdot.
struct MatricesTile : DotsTile<MixedProducts> {
  static constexpr int kMostRows = 6, kRowUnit = 2;

  template <int rows>
  HWY_INLINE void add_products(const QuantizedProduct& p, const TilePlace& place,
                               IntegerVector (*sums)[kPanelVectors]) const {
    if constexpr (rows == 1) {
      DotsTile::add_products<1>(p, place, sums);
    } else {
      add_pairs<rows>(p, place, sums);
    }
  }

  template <int rows>
  HWY_INLINE void add_pairs(const QuantizedProduct& p, const TilePlace& place,
                            IntegerVector (*totals)[kPanelVectors]) const {
    constexpr int kPairs = (rows + 1) / 2;
    const Integers d;
    const hn::Repartition<std::uint32_t, Floats> quads;
    const std::uint8_t* weights = columns_at(p, place.column).panel;
    const std::uint8_t* from[2 * kPairs];
    IntegerVector sums[kPairs][2 * kPanelVectors];
#pragma GCC unroll 3
    for (int pair = 0; pair < kPairs; ++pair) {
      from[2 * pair] = p.rounded_row<std::uint8_t>(place.row + static_cast<std::size_t>(2 * pair));
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
#pragma GCC unroll 6
    for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 4
      for (int v = 0; v < kPanelVectors; ++v) {
        const auto upper = sums[r / 2][2 * v + 1], lower = sums[r / 2][2 * v];
        totals[r][v] =
            r % 2 == 0 ? hn::ConcatEven(d, upper, lower) : hn::ConcatOdd(d, upper, lower);
      }
    }
  }
};

// All rows by the columns [begin, end) of whole panels.
HWY_INLINE void multiply_panels_of_bytes(const QuantizedProduct& p, std::size_t begin,
                                         std::size_t end) {
  if (cpu_extensions().i8mm) {
    multiply_quantized_tiles(MatricesTile(), p, begin, end);
  } else {
    multiply_quantized_tiles(DotsTile<SignedProducts>(), p, begin, end);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();
#endif

#endif
