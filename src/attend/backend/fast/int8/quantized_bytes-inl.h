// GEMM with packed 8-bit weights (cpu/packed_weights.h) on CPUs with byte dot products: vpdpbusd of
// AVX-512 VNNI adds four products of an unsigned and a signed byte to each lane. Four neighbors of
// a row, broadcast, meet those of 16 columns.
#if defined(ATTEND_BACKEND_FAST_QUANTIZED_BYTES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTEND_BACKEND_FAST_QUANTIZED_BYTES_INL_H
#undef ATTEND_BACKEND_FAST_QUANTIZED_BYTES_INL_H
#else
#define ATTEND_BACKEND_FAST_QUANTIZED_BYTES_INL_H
#endif

#include "attend/backend/fast/cpu_extensions.h"
#include "attend/backend/fast/int8/quantized_tiles-inl.h"

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

HWY_INLINE IntegerVector broadcast_four(const std::int8_t* from) {
  std::int32_t four;
  __builtin_memcpy(&four, from, sizeof four);
  return hn::Set(Integers(), four);
}

// `panels` panels with at most `most_rows` rows.
template <int panels, int most_rows>
struct BytesTile {
  static constexpr int kMostRows = most_rows, kRowUnit = 1, kVectors = panels;
  static constexpr bool kInBytes = true, kShifted = true;

  template <int rows>
  HWY_INLINE void add_products(const QuantizedProduct& p, const TilePlace& place,
                               IntegerVector (*sums)[panels]) const {
    const std::int8_t* q = p.rounded_row<std::int8_t>(place.row);
    const std::uint8_t* weights = columns_at(p, place.column).panel;
    const std::size_t stride = p.rounded_stride, distance = kWidth * p.weights_stride;
    // Each tile brings its part of the next panels nearer: so many bytes for every four of the
    // depth.
    const std::size_t step =
        place.next == place.column ? 0 : (4 * kWidth + place.count - 1) / place.count;
    const std::uint8_t* ahead =
        columns_at(p, place.next).panel + place.index * (p.depth / 4) * step;
    for (std::size_t k = 0; k < p.depth; k += 4, q += 4, weights += 4 * kWidth) {
      if constexpr (panels < 4) {  // few rows wait for memory anyway
#pragma GCC unroll 4
        for (int i = 0; i < panels; ++i)
          prefetch_to_l2(ahead + static_cast<std::size_t>(i) * distance);
        ahead += step;
      }
      IntegerVector quads[panels];
#pragma GCC unroll 4
      for (int i = 0; i < panels; ++i)
        quads[i] = load_integers(weights + static_cast<std::size_t>(i) * distance);
#pragma GCC unroll 12
      for (int r = 0; r < rows; ++r) {
        const auto activations = broadcast_four(q + static_cast<std::size_t>(r) * stride);
#pragma GCC unroll 4
        for (int i = 0; i < panels; ++i) add_four_products(quads[i], activations, sums[r][i]);
      }
    }
  }

  static HWY_INLINE void add_outlier(const QuantizedProduct&, const PanelColumns& columns,
                                     const Outlier& outlier, IntegerVector& sum) {
    const auto index = static_cast<std::uint32_t>(outlier.index);
    const auto byte = static_cast<std::uint8_t>(outlier.high);
    const auto activations =
        hn::Set(Integers(), static_cast<std::int32_t>(std::uint32_t{byte} << 8 * (index % 4)));
    add_four_products(load_integers(columns.panel + std::size_t{index / 4} * 4 * kWidth),
                      activations, sum);
  }
};

// All rows by the columns [begin, end) of whole panels, with as many sums at a time as fit in
// registers.
HWY_INLINE void multiply_panels_of_bytes(const QuantizedProduct& p, std::size_t begin,
                                         std::size_t end) {
  if (p.rows <= 6) begin = multiply_quantized_tiles(BytesTile<4, 6>(), p, begin, end);
  begin = multiply_quantized_tiles(BytesTile<2, 12>(), p, begin, end);
  multiply_quantized_tiles(BytesTile<1, 12>(), p, begin, end);
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();
#endif

#endif
