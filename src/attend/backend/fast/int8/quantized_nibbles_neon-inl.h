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

// A panel with all rows: as many as have their sums in registers.
struct NibblesTile {
  static constexpr int kMostRows = 4, kRowUnit = 1, kVectors = kPanelVectors;
  static constexpr bool kInBytes = true, kShifted = false;

  template <int rows>
  HWY_INLINE void add_products(const QuantizedProduct& p, const TilePlace& place,
                               IntegerVector (*totals)[kPanelVectors]) const {
    const std::uint8_t* const panel = columns_at(p, place.column).panel;
    for (std::size_t group = 0; group < p.depth / kGroup; ++group) {
      ByteVector activations[rows];
#pragma GCC unroll 4
      for (int r = 0; r < rows; ++r)
        activations[r] =
            hn::LoadU(UnsignedBytes(),
                      p.rounded_row<std::uint8_t>(static_cast<std::size_t>(r)) + group * kGroup);
#pragma GCC unroll 4
      for (int v = 0; v < kPanelVectors; ++v) {
        const std::size_t offset = static_cast<std::size_t>(v) * kVectorBytes;
        const GroupQuads numbers = group_quads(panel + group * kGroupBytes + offset);
        const auto factor = group_factors({panel, offset}, p.depth, group);
#pragma GCC unroll 4
        for (int r = 0; r < rows; ++r) {
          auto sums = hn::Zero(Integers());
          SignedProducts::add<0>(numbers.quads[0], activations[r], sums);
          SignedProducts::add<1>(numbers.quads[1], activations[r], sums);
          SignedProducts::add<2>(numbers.quads[2], activations[r], sums);
          SignedProducts::add<3>(numbers.quads[3], activations[r], sums);
          totals[r][v] = hn::Add(totals[r][v], hn::Mul(sums, factor));
        }
      }
    }
  }

  static HWY_INLINE void add_outlier(const QuantizedProduct& p, const PanelColumns& columns,
                                     const Outlier& outlier, IntegerVector& sum) {
    add_outlier_of_nibbles(p, columns, outlier, sum);
  }
};

// The kernels of 8-bit activations.
struct ByteKernels {
  static bool available() { return cpu_extensions().dotprod; }
  static constexpr std::size_t kWidened = 2;
  static std::size_t scratch(std::size_t) { return 0; }
  static HWY_INLINE void multiply(const QuantizedProduct& p, std::size_t begin, std::size_t end,
                                  std::byte*) {
    multiply_panels_of_bytes(p, begin, end);
  }
  static constexpr std::size_t kFewRows = NibblesTile::kMostRows;
  static std::size_t scratch_of_few(const QuantizedProduct&) { return 0; }
  static HWY_INLINE void multiply_few(const QuantizedProduct& p, std::size_t begin, std::size_t end,
                                      std::byte*) {
    multiply_quantized_tiles(NibblesTile(), p, begin, end);
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();
#endif

#endif
