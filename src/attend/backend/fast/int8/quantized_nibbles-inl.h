// GEMM with packed 4-bit weights (cpu/packed_weights.h). With many rows, or without byte dot
// products, panels are widened to 8 bits one after the other and multiplied as such. With few rows
// on CPUs with byte dot products, whose time is that of reading the weights, halves of bytes are
// multiplied as they are, and the sums of a group times its factor added. All sums are exact, so
// both give the same bits.
#if defined(ATTEND_BACKEND_FAST_QUANTIZED_NIBBLES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTEND_BACKEND_FAST_QUANTIZED_NIBBLES_INL_H
#undef ATTEND_BACKEND_FAST_QUANTIZED_NIBBLES_INL_H
#else
#define ATTEND_BACKEND_FAST_QUANTIZED_NIBBLES_INL_H
#endif

#include "attend/backend/fast/int8/quantized_bytes-inl.h"
#include "attend/backend/fast/int8/quantized_tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

constexpr std::size_t kGroup = kWeightGroup;
// Bytes of a panel that hold a group, in 4 and in 8 bits.
constexpr std::size_t kGroupBytes = kGroup * kWidth / 2, kWideGroupBytes = kGroup * kWidth;

HWY_INLINE std::size_t wide_panel_bytes(std::size_t depth) {
  return kWidth * (depth + sizeof(float));
}

// Brings a group of a panel nearer.
HWY_INLINE void prefetch_group(const std::uint8_t* panel, std::size_t depth, std::size_t group) {
  constexpr std::size_t kLine = 64;
  for (std::size_t i = 0; i < kGroupBytes; i += kLine)
    prefetch_to_l2(panel + group * kGroupBytes + i);
  if (group * kWidth / 2 % kLine == 0)
    prefetch_to_l2(panel + depth / 2 * kWidth + group * kWidth / 2);
}

// Widens the elements of a panel. The one at `ahead` from it is needed next.
#if HWY_TARGET == HWY_SCALAR
HWY_INLINE void widen_groups(const std::uint8_t* panel, std::size_t depth, std::size_t,
                             std::uint8_t* wide) {
  const std::uint8_t* const factors = panel + depth / 2 * kWidth;
  for (std::size_t k = 0; k < depth; ++k) {
    for (std::size_t c = 0; c < kWidth; ++c) {
      const int number = panel[(k / 8 * kWidth + c) * 4 + k % 4] >> (k / 4 % 2 * 4) & 15;
      const int code = factors[k / (2 * kGroup) * kWidth + c] >> (k / kGroup % 2 * 4) & 15;
      wide[(k / 4 * kWidth + c) * 4 + k % 4] =
          static_cast<std::uint8_t>((2 * code - 15) * (number - 8) + 128);
    }
  }
}
#else
// The factors (f+15)/2 of a group for a vector of columns, in the lowest 4 bits of each.
HWY_INLINE IntegerVector factor_codes(const PanelColumns& columns, std::size_t depth,
                                      std::size_t group) {
  const Integers d;
  const hn::Rebind<std::uint8_t, Integers> bytes;
  const std::uint8_t* const both =
      columns.panel + (depth + group) / 2 * kWidth + columns.offset / 4;
  return hn::ShiftRightSame(hn::PromoteTo(d, hn::LoadU(bytes, both)),
                            static_cast<int>(group % 2 * 4));
}

// The factors themselves.
HWY_INLINE IntegerVector group_factors(const PanelColumns& columns, std::size_t depth,
                                       std::size_t group) {
  const Integers d;
  const auto code = hn::And(factor_codes(columns, depth, group), hn::Set(d, 15));
  return hn::Sub(hn::Add(code, code), hn::Set(d, 15));
}

// Adds what an outlier times the weights of a vector of columns is beyond its byte.
HWY_INLINE void add_outlier_of_nibbles(const QuantizedProduct& p, const PanelColumns& columns,
                                       const Outlier& outlier, IntegerVector& sum) {
  const Integers d;
  const auto index = static_cast<std::size_t>(outlier.index);
  const auto lanes = load_integers(columns.panel + index / 8 * 4 * kWidth + columns.offset);
  const auto shift = static_cast<int>(8 * (index % 4) + 4 * (index / 4 % 2));
  const auto number =
      hn::Sub(hn::And(hn::ShiftRightSame(lanes, shift), hn::Set(d, 15)), hn::Set(d, 8));
  const auto weights = hn::Mul(number, group_factors(columns, p.depth, index / kGroup));
  sum = hn::Add(sum, hn::Mul(weights, hn::Set(d, outlier.high)));
}

// From bytes n + 8 to q + 128 = f n + 128, where both bytes of a 16-bit lane have the factor f.
// `shift` is 128 - 8 f.
HWY_INLINE ByteVector widened(ByteVector numbers, hn::Vec<Shorts> factors, ByteVector shift) {
  const UnsignedBytes bytes;
  const Shorts shorts;
  const auto both = hn::BitCast(shorts, numbers), low = hn::Set(shorts, 0x00ff);
  const auto even = hn::And(hn::Mul(both, factors), low);
  const auto odd = hn::Mul(hn::AndNot(low, both), factors);
  return hn::Add(hn::BitCast(bytes, hn::Or(even, odd)), shift);
}

HWY_INLINE void widen_groups(const std::uint8_t* panel, std::size_t depth, std::size_t ahead,
                             std::uint8_t* wide) {
  const Integers d;
  const Shorts shorts;
  const UnsignedBytes bytes;
  const auto half = hn::Set(bytes, 15);
  for (std::size_t v = 0; v < kWidth / hn::Lanes(d); ++v) {
    const std::size_t at = v * hn::Lanes(bytes);
    for (std::size_t group = 0; group < depth / kGroup; ++group) {
      if (v == 0) prefetch_group(panel + ahead, depth, group);
      const auto factor = group_factors({panel, at}, depth, group);
      const auto pairs = hn::BitCast(
          shorts, hn::Or(hn::ShiftLeft<16>(factor), hn::And(factor, hn::Set(d, 0xffff))));
      const auto shift = hn::BitCast(
          bytes,
          hn::Mul(hn::Sub(hn::Set(d, 128), hn::ShiftLeft<3>(factor)), hn::Set(d, 0x1010101)));
      const std::uint8_t* from = panel + group * kGroupBytes + at;
      std::uint8_t* to = wide + group * kWideGroupBytes + at;
      for (int eight = 0; eight < 2; ++eight, from += 4 * kWidth, to += 8 * kWidth) {
        const auto both = hn::LoadU(bytes, from);
        const auto high = hn::BitCast(
            bytes, hn::ShiftRight<4>(hn::BitCast(hn::RebindToUnsigned<Shorts>(), both)));
        hn::StoreU(widened(hn::And(both, half), pairs, shift), bytes, to);
        hn::StoreU(widened(hn::And(high, half), pairs, shift), bytes, to + 4 * kWidth);
      }
    }
  }
}
#endif

// The columns [begin, end) of whole panels as a product of its own, with weights in 8 bits at
// `wide`. The same number of columns after them is needed next, unless they are the last.
HWY_INLINE QuantizedProduct widened_part(const QuantizedProduct& p, std::size_t begin,
                                         std::size_t end, std::int8_t* wide) {
  const std::size_t width = end - begin, before = kWidth * (p.weights_stride - sizeof(float));
  const std::size_t ahead = end + width <= p.panel_columns ? width * p.weights_stride : 0;
  for (std::size_t column = begin; column < end; column += kWidth) {
    const std::int8_t* const panel = p.weights + column * p.weights_stride;
    std::int8_t* const to = wide + (column - begin) / kWidth * wide_panel_bytes(p.depth);
    widen_groups(reinterpret_cast<const std::uint8_t*>(panel), p.depth, ahead,
                 reinterpret_cast<std::uint8_t*>(to));
    __builtin_memcpy(to + kWidth * p.depth, panel + before, kWidth * sizeof(float));
  }
  QuantizedProduct part = p;
  part.weights = wide;
  part.weights_stride = p.depth + sizeof(float);
  part.panel_columns = width;
  part.in_four_bits = false;
  if (p.bias != nullptr) part.bias = p.bias + begin;
  part.y = p.y + begin;
  return part;
}

#if HWY_TARGET == HWY_AVX3
// As 16 bits, to be multiplied with sums of groups, which have no more.
alignas(64) constexpr std::int32_t kFactors[16] = {
    0xfff1, 0xfff3, 0xfff5, 0xfff7, 0xfff9, 0xfffb, 0xfffd, 0xffff, 1, 3, 5, 7, 9, 11, 13, 15};

// The higher bits of the codes may be anything.
HWY_INLINE IntegerVector factors_of(IntegerVector codes) {
  return IntegerVector{_mm512_permutexvar_epi32(codes.raw, hn::Load(Integers(), kFactors).raw)};
}

// Adds the products of the lower 16 bits of each lane, if the higher ones of the factors are 0.
HWY_INLINE void add_word_products(IntegerVector sums, IntegerVector factors,
                                  IntegerVector& totals) {
  asm("vpdpwssd %2, %1, %0" : "+v"(totals.raw) : "v"(sums.raw), "v"(factors.raw));
}

// shifts[row][group] = -8 times the sum of the bytes of a group of activations: the excess of sums
// with n + 8.
HWY_INLINE void sum_groups(const QuantizedProduct& p, std::int32_t* shifts) {
  const hn::FixedTag<std::int8_t, kGroup> bytes;
  for (std::size_t row = 0; row < p.rows; ++row) {
    const std::int8_t* q = p.rounded_row<std::int8_t>(row);
    for (std::size_t k = 0; k < p.depth; k += kGroup)
      *shifts++ = -8 * hn::GetLane(hn::SumOfLanes(
                           Integers(), hn::PromoteTo(Integers(), hn::LoadU(bytes, q + k))));
  }
}

// `panels` panels with all rows, at most `most_rows`.
template <int panels, int most_rows>
struct NibblesTile {
  const std::int32_t* shifts;  // of sum_groups()

  static constexpr int kMostRows = most_rows, kRowUnit = 1, kVectors = panels;
  static constexpr bool kInBytes = true, kShifted = false;

  template <int rows>
  HWY_INLINE void add_products(const QuantizedProduct& p, const TilePlace& place,
                               IntegerVector (*totals)[panels]) const {
    const std::uint8_t* const weights = columns_at(p, place.column).panel;
    const std::size_t distance = kWidth * p.weights_stride;
    const std::size_t ahead = (place.next - place.column) * p.weights_stride;
    for (std::size_t group = 0; group < p.depth / kGroup; ++group) {
#pragma GCC unroll 4
      for (int i = 0; i < panels; ++i)
        prefetch_group(weights + static_cast<std::size_t>(i) * distance + ahead, p.depth, group);
      IntegerVector sums[rows][panels];
      add_group<rows>(p, weights + group * kGroupBytes, group, sums);
#pragma GCC unroll 4
      for (int i = 0; i < panels; ++i) {
        const std::uint8_t* const panel = weights + static_cast<std::size_t>(i) * distance;
        const auto factors = factors_of(factor_codes({panel, 0}, p.depth, group));
#pragma GCC unroll 12
        for (int r = 0; r < rows; ++r) add_word_products(sums[r][i], factors, totals[r][i]);
      }
    }
  }

  // sums[row][panel] = q . n of a group, whose halves of bytes are at `weights`.
  template <int rows>
  HWY_INLINE void add_group(const QuantizedProduct& p, const std::uint8_t* weights,
                            std::size_t group, IntegerVector (*sums)[panels]) const {
    const Integers d;
    const std::size_t distance = kWidth * p.weights_stride, groups = p.depth / kGroup;
    const auto half = hn::Set(d, 0x0f0f0f0f);
#pragma GCC unroll 12
    for (int r = 0; r < rows; ++r) {
      const auto shift = hn::Set(d, shifts[static_cast<std::size_t>(r) * groups + group]);
#pragma GCC unroll 4
      for (int i = 0; i < panels; ++i) sums[r][i] = shift;
    }
#pragma GCC unroll 2
    for (std::size_t eight = 0; eight < 2; ++eight) {
      IntegerVector first[panels], second[panels];
#pragma GCC unroll 4
      for (int i = 0; i < panels; ++i) {
        const auto both =
            load_integers(weights + static_cast<std::size_t>(i) * distance + eight * 4 * kWidth);
        first[i] = hn::And(both, half);
        second[i] = hn::And(hn::ShiftRight<4>(both), half);
      }
#pragma GCC unroll 12
      for (int r = 0; r < rows; ++r) {
        const std::int8_t* const q =
            p.rounded_row<std::int8_t>(static_cast<std::size_t>(r)) + group * kGroup + eight * 8;
        const auto before = broadcast_four(q), behind = broadcast_four(q + 4);
#pragma GCC unroll 4
        for (int i = 0; i < panels; ++i) {
          add_four_products(first[i], before, sums[r][i]);
          add_four_products(second[i], behind, sums[r][i]);
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
  static bool available() { return cpu_extensions().vnni; }
  static constexpr std::size_t kWidened = 2;
  static std::size_t scratch(std::size_t) { return 0; }
  static HWY_INLINE void multiply(const QuantizedProduct& p, std::size_t begin, std::size_t end,
                                  std::byte*) {
    multiply_panels_of_bytes(p, begin, end);
  }
  static constexpr std::size_t kFewRows = 12;
  static std::size_t scratch_of_few(const QuantizedProduct& p) {
    return p.rows * (p.depth / kGroup) * sizeof(std::int32_t);
  }
  // Few rows by the columns [begin, end) of panels in 4 bits, as many at a time as their sums fit
  // in registers.
  static HWY_INLINE void multiply_few(const QuantizedProduct& p, std::size_t begin, std::size_t end,
                                      std::byte* scratch) {
    auto* const shifts = reinterpret_cast<std::int32_t*>(scratch);
    sum_groups(p, shifts);
    if (p.rows <= 2) begin = multiply_quantized_tiles(NibblesTile<4, 2>{shifts}, p, begin, end);
    if (p.rows <= 5) begin = multiply_quantized_tiles(NibblesTile<2, 5>{shifts}, p, begin, end);
    multiply_quantized_tiles(NibblesTile<1, 12>{shifts}, p, begin, end);
  }
};
#endif

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#endif
