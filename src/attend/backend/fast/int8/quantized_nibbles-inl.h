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
#include "attend/backend/fast/int8/quantized_panels-inl.h"

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
// The factors (f+15)/2 of group `group` for a vector of columns, in the lowest 4 bits of each.
HWY_INLINE IntegerVector factor_codes(const std::uint8_t* factors, std::size_t group,
                                      std::size_t vector) {
  const Integers d;
  const hn::Rebind<std::uint8_t, Integers> bytes;
  const std::uint8_t* const both = factors + group / 2 * kWidth + vector * hn::Lanes(d);
  return hn::ShiftRightSame(hn::PromoteTo(d, hn::LoadU(bytes, both)),
                            static_cast<int>(group % 2 * 4));
}

// The factors themselves.
HWY_INLINE IntegerVector group_factors(const std::uint8_t* factors, std::size_t group,
                                       std::size_t vector) {
  const Integers d;
  const auto code = hn::And(factor_codes(factors, group, vector), hn::Set(d, 15));
  return hn::Sub(hn::Add(code, code), hn::Set(d, 15));
}

// From bytes n + 8 to q + 128 = f n + 128, where both bytes of a 16-bit lane have the factor f.
// `shift` is 128 - 8 f.
HWY_INLINE hn::Vec<hn::Repartition<std::uint8_t, Floats> > widened(
    hn::Vec<hn::Repartition<std::uint8_t, Floats> > numbers, hn::Vec<Shorts> factors,
    hn::Vec<hn::Repartition<std::uint8_t, Floats> > shift) {
  const hn::Repartition<std::uint8_t, Floats> bytes;
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
  const hn::Repartition<std::uint8_t, Floats> bytes;
  const std::uint8_t* const factors = panel + depth / 2 * kWidth;
  const auto half = hn::Set(bytes, 15);
  for (std::size_t v = 0; v < kWidth / hn::Lanes(d); ++v) {
    const std::size_t at = v * hn::Lanes(bytes);
    for (std::size_t group = 0; group < depth / kGroup; ++group) {
      if (v == 0) prefetch_group(panel + ahead, depth, group);
      const auto factor = group_factors(factors, group, v);
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
// The most rows that are multiplied with halves of bytes.
constexpr std::size_t kFewRows = 12;

// As 16 bits, to be multiplied with sums of groups, which have no more.
alignas(64) constexpr std::int32_t kFactors[16] = {
    0xfff1, 0xfff3, 0xfff5, 0xfff7, 0xfff9, 0xfffb, 0xfffd, 0xffff, 1, 3, 5, 7, 9, 11, 13, 15};

// The higher bits of the codes may be anything.
HWY_INLINE IntegerVector factors_of(IntegerVector codes) {
  return IntegerVector{_mm512_permutexvar_epi32(codes.raw, hn::Load(Integers(), kFactors).raw)};
}

// Adds the products of the lower 16 bits of each lane, if the higher ones of the factors are 0.
HWY_INLINE void add_products(IntegerVector sums, IntegerVector factors, IntegerVector& totals) {
  asm("vpdpwssd %2, %1, %0" : "+v"(totals.raw) : "v"(sums.raw), "v"(factors.raw));
}

HWY_INLINE IntegerVector broadcast_four(const std::int8_t* from) {
  std::int32_t four;
  __builtin_memcpy(&four, from, sizeof four);
  return hn::Set(Integers(), four);
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

// Adds to the sums of row `row` what bytes do not hold of it. `weights` are the panels, `distance`
// bytes apart.
template <int panels>
HWY_INLINE void add_outliers_to_groups(const QuantizedProduct& p, std::size_t row,
                                       const std::uint8_t* weights, std::size_t distance,
                                       IntegerVector* sums) {
  const std::int32_t count = p.outlier_counts[row];
  if (HWY_LIKELY(count == 0)) return;
  const Integers d;
  const Outlier* const outliers = p.outliers + row * p.most_outliers;
  for (std::int32_t o = 0; o < count; ++o) {
    const auto index = static_cast<std::size_t>(outliers[o].index);
    const auto high = hn::Set(d, 256 * outliers[o].high);
    const auto shift = static_cast<int>(8 * (index % 4) + 4 * (index / 4 % 2));
    const std::uint8_t* panel = weights;
    for (int i = 0; i < panels; ++i, panel += distance) {
      const auto lanes =
          hn::LoadU(d, reinterpret_cast<const std::int32_t*>(panel + index / 8 * 4 * kWidth));
      const auto number =
          hn::Sub(hn::And(hn::ShiftRightSame(lanes, shift), hn::Set(d, 15)), hn::Set(d, 8));
      const auto codes = factor_codes(panel + p.depth / 2 * kWidth, index / kGroup, 0);
      const auto factors = hn::ShiftRight<16>(hn::ShiftLeft<16>(factors_of(codes)));
      sums[i] = hn::Add(sums[i], hn::Mul(hn::Mul(number, factors), high));
    }
  }
}

// All rows, `rows` of them, by the columns of `panels` panels, starting at `column`.
// Those at `ahead` from them are needed next.
template <int rows, int panels>
HWY_NOINLINE void nibbles_tile(const QuantizedProduct& p, const std::int32_t* shifts,
                               std::size_t column, std::size_t ahead) {
  const Integers d;
  const auto* const weights =
      reinterpret_cast<const std::uint8_t*>(p.weights + column * p.weights_stride);
  const std::size_t distance = kWidth * p.weights_stride, groups = p.depth / kGroup;
  const auto half = hn::Set(d, 0x0f0f0f0f);
  IntegerVector totals[rows][panels];
#pragma GCC unroll 12
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 4
    for (int i = 0; i < panels; ++i) totals[r][i] = hn::Zero(d);
  }
  for (std::size_t group = 0; group < groups; ++group) {
#pragma GCC unroll 4
    for (int i = 0; i < panels; ++i)
      prefetch_group(weights + static_cast<std::size_t>(i) * distance + ahead, p.depth, group);
    IntegerVector sums[rows][panels];
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
        const auto both = hn::LoadU(d, reinterpret_cast<const std::int32_t*>(
                                           weights + static_cast<std::size_t>(i) * distance +
                                           group * kGroupBytes + eight * 4 * kWidth));
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
#pragma GCC unroll 4
    for (int i = 0; i < panels; ++i) {
      const auto factors = factors_of(factor_codes(
          weights + static_cast<std::size_t>(i) * distance + p.depth / 2 * kWidth, group, 0));
#pragma GCC unroll 12
      for (int r = 0; r < rows; ++r) add_products(sums[r][i], factors, totals[r][i]);
    }
  }
#pragma GCC unroll 12
  for (int r = 0; r < rows; ++r)
    add_outliers_to_groups<panels>(p, static_cast<std::size_t>(r), weights, distance, totals[r]);
#pragma GCC unroll 4
  for (int i = 0; i < panels; ++i) {
    const std::size_t first = column + static_cast<std::size_t>(i) * kWidth;
    const ColumnScales columns = column_scales(p, first);
#pragma GCC unroll 12
    for (int r = 0; r < rows; ++r) {
      const auto row = static_cast<std::size_t>(r);
      hn::StoreU(scaled_sums(p, row, totals[r][i], columns), Floats(),
                 p.y + row * p.y_stride + first);
    }
  }
}

using NibblesTile = void (*)(const QuantizedProduct&, const std::int32_t*, std::size_t,
                             std::size_t);
template <int panels, int... counts>
struct NibblesTileTable {
  static constexpr NibblesTile kernels[] = {nibbles_tile<counts, panels>...};
};

// Columns [begin, end), a multiple of `panels` panels. -> the end
template <int panels, class Table>
HWY_INLINE std::size_t nibbles_columns(const QuantizedProduct& p, const std::int32_t* shifts,
                                       std::size_t begin, std::size_t end) {
  constexpr std::size_t kColumns = panels * kWidth;
  const std::size_t stop = begin + (end - begin) / kColumns * kColumns;
  for (std::size_t column = begin; column < stop; column += kColumns) {
    const bool last = column + 2 * kColumns > stop;
    Table::kernels[p.rows - 1](p, shifts, column, last ? 0 : kColumns * p.weights_stride);
  }
  return stop;
}

// Few rows by the columns [begin, end) of whole panels, as many at a time as their sums fit in
// registers. `shifts` has room for one of each group of each row.
HWY_INLINE void multiply_few_rows(const QuantizedProduct& p, std::size_t begin, std::size_t end,
                                  std::int32_t* shifts) {
  using Four = NibblesTileTable<4, 1, 2>;
  using Two = NibblesTileTable<2, 1, 2, 3, 4, 5>;
  using One = NibblesTileTable<1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12>;
  sum_groups(p, shifts);
  std::size_t column = begin;
  if (p.rows <= 2) column = nibbles_columns<4, Four>(p, shifts, column, end);
  if (p.rows <= 5) column = nibbles_columns<2, Two>(p, shifts, column, end);
  nibbles_columns<1, One>(p, shifts, column, end);
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#endif
