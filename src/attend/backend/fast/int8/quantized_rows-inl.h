// GEMM with 8-bit weights in rows: the last columns of packed matrices, and matrices that cannot be
// packed. Both operands are read along the depth. A vector of weights is widened to 16 bits and
// multiplied with a vector of each of a few rows; the instruction also adds neighboring products.
// The sums of a tile are reduced across lanes at the end.
#if defined(ATTEND_BACKEND_FAST_QUANTIZED_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTEND_BACKEND_FAST_QUANTIZED_ROWS_INL_H
#undef ATTEND_BACKEND_FAST_QUANTIZED_ROWS_INL_H
#else
#define ATTEND_BACKEND_FAST_QUANTIZED_ROWS_INL_H
#endif

#include "attend/backend/fast/int8/quantized_panels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

constexpr int kTileRows = 2;
constexpr int kTileColumns = 4;

#if HWY_TARGET == HWY_SCALAR
template <int rows, int columns, class T>
HWY_INLINE void multiply_integers(const T* q, std::size_t stride, const std::int8_t* w,
                                  std::size_t w_stride, std::size_t depth,
                                  std::int32_t (*totals)[kTileColumns]) {
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      std::int32_t total = 0;
      for (std::size_t k = 0; k < depth; ++k) total += q[r * stride + k] * w[c * w_stride + k];
      totals[r][c] = total;
    }
  }
}
#else
// totals[c] = the sum of the lanes of sums[c], c = 0 .. 3.
HWY_INLINE void sum_four(const IntegerVector* sums, std::int32_t* totals) {
  const Integers d;
  const hn::Repartition<std::uint64_t, Integers> pairs;
  const hn::FixedTag<std::int32_t, 4> four;
  const auto fold = [&](IntegerVector a, IntegerVector b) HWY_ATTR {
    return hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
  };
  const auto ab = hn::BitCast(pairs, fold(sums[0], sums[1]));
  const auto cd = hn::BitCast(pairs, fold(sums[2], sums[3]));
  const auto abcd = hn::Add(hn::BitCast(d, hn::InterleaveLower(pairs, ab, cd)),
                            hn::BitCast(d, hn::InterleaveUpper(pairs, ab, cd)));
  HWY_ALIGN std::int32_t blocks[hn::MaxLanes(d)];
  hn::Store(abcd, d, blocks);
  auto total = hn::Load(four, blocks);
  for (std::size_t block = 4; block < hn::Lanes(d); block += 4)
    total = hn::Add(total, hn::Load(four, blocks + block));
  hn::StoreU(total, four, totals);
}

HWY_INLINE hn::Vec<Shorts> shorts_at(const std::int8_t* from) {
  return hn::PromoteTo(Shorts(), hn::LoadU(Bytes(), from));
}
HWY_INLINE hn::Vec<Shorts> shorts_at(const std::int16_t* from) { return hn::Load(Shorts(), from); }

// The last vector of a row of weights includes the scale and later bytes: only the first `count`
// bytes count.
HWY_INLINE hn::Vec<Shorts> load_weights(const std::int8_t* from, std::size_t count) {
  const Bytes bytes;
  if (HWY_LIKELY(count >= kShorts)) return shorts_at(from);
  HWY_ALIGN std::int8_t part[hn::MaxLanes(bytes)] = {};
  for (std::size_t i = 0; i < count; ++i) part[i] = from[i];
  return hn::PromoteTo(Shorts(), hn::Load(bytes, part));
}

// totals[r][c] = q[r] . w[c] for `rows` rows of rounded activations and `columns` rows of weights.
template <int rows, int columns, class T>
HWY_INLINE void multiply_integers(const T* q, std::size_t stride, const std::int8_t* w,
                                  std::size_t w_stride, std::size_t depth,
                                  std::int32_t (*totals)[kTileColumns]) {
  const Integers d;
  IntegerVector sums[rows][kTileColumns];
  // Nonzero where the instruction set splits the sum in two.
  IntegerVector odd[rows][kTileColumns];
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < kTileColumns; ++c) sums[r][c] = odd[r][c] = hn::Zero(d);
  }
  const auto step = [&](std::size_t k, std::size_t count) HWY_ATTR {
    hn::Vec<Shorts> activations[rows];
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r)
      activations[r] = shorts_at(q + static_cast<std::size_t>(r) * stride + k);
#pragma GCC unroll 4
    for (int c = 0; c < columns; ++c) {
      const auto weights = load_weights(w + static_cast<std::size_t>(c) * w_stride + k, count);
#pragma GCC unroll 4
      for (int r = 0; r < rows; ++r)
        sums[r][c] =
            hn::ReorderWidenMulAccumulate(d, activations[r], weights, sums[r][c], odd[r][c]);
    }
  };
  std::size_t k = 0;
  for (; k + kShorts <= depth; k += kShorts) step(k, kShorts);
  if (k < depth) step(k, depth - k);
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < kTileColumns; ++c) sums[r][c] = hn::Add(sums[r][c], odd[r][c]);
    sum_four(sums[r], totals[r]);
  }
}

#endif

// y[r][c] = totals * row scale * column scale + bias, the last two in one rounding. `columns` <=
// kTileColumns.
template <int rows>
HWY_INLINE void write_totals(const QuantizedProduct& p, const std::int32_t (*totals)[kTileColumns],
                             const float* scales, std::size_t row, std::size_t column,
                             std::size_t columns) {
  HWY_ALIGN float bias[kTileColumns] = {};
  if (p.bias != nullptr) __builtin_memcpy(bias, p.bias + column, columns * sizeof(float));
  const hn::CappedTag<float, kTileColumns> d;
  const hn::RebindToSigned<decltype(d)> integers;
  for (std::size_t r = 0; r < rows; ++r) {
    HWY_ALIGN float y[kTileColumns];
    const float row_scale = p.row_scales[row + r];
    for (std::size_t c = 0; c < kTileColumns; c += hn::Lanes(d)) {
      const auto scale = hn::Mul(hn::Set(d, row_scale), hn::Load(d, scales + c));
      hn::Store(hn::MulAdd(hn::ConvertTo(d, hn::LoadU(integers, totals[r] + c)), scale,
                           hn::Load(d, bias + c)),
                d, y + c);
    }
    __builtin_memcpy(p.y + (row + r) * p.y_stride + column, y, columns * sizeof(float));
  }
}

// Adds what bytes do not hold of a row.
template <int columns>
HWY_INLINE void add_outliers(const QuantizedProduct& p, std::size_t row, const std::int8_t* w,
                             std::int32_t* totals) {
  const Outlier* const outliers = p.outliers + row * p.most_outliers;
  for (std::int32_t i = 0; i < p.outlier_counts[row]; ++i) {
    const std::int8_t* column = w + outliers[i].index;
    for (std::size_t c = 0; c < columns; ++c, column += p.weights_stride)
      totals[c] += 256 * outliers[i].high * *column;
  }
}

template <int rows, int columns, class T>
HWY_NOINLINE void quantized_tile(const QuantizedProduct& p, std::size_t row, std::size_t column) {
  HWY_ALIGN std::int32_t totals[rows][kTileColumns];
  const std::int8_t* w = p.weights + column * p.weights_stride;
  multiply_integers<rows, columns>(p.rounded_row<T>(row), p.rounded_stride, w, p.weights_stride,
                                   p.depth, totals);
  if constexpr (sizeof(T) == 1) {
    for (std::size_t r = 0; r < rows; ++r) add_outliers<columns>(p, row + r, w, totals[r]);
  }
  HWY_ALIGN float scales[kTileColumns] = {};
  for (std::size_t c = 0; c < columns; ++c)
    __builtin_memcpy(scales + c, w + c * p.weights_stride + p.depth, sizeof(float));
  write_totals<rows>(p, totals, scales, row, column, columns);
}

template <int rows, class T>
HWY_INLINE void quantized_columns(const QuantizedProduct& p, std::size_t row, std::size_t begin,
                                  std::size_t end) {
  std::size_t column = begin;
  for (; column + kTileColumns <= end; column += kTileColumns)
    quantized_tile<rows, kTileColumns, T>(p, row, column);
  for (; column < end; ++column) quantized_tile<rows, 1, T>(p, row, column);
}

// Multiplies all rows by the unpacked columns [begin, end). A chunk of columns stays in the L2
// cache while all rows use it.
template <class T>
HWY_INLINE void multiply_columns(const QuantizedProduct& p, std::size_t begin, std::size_t end) {
  constexpr std::size_t kChunkBytes = 128 << 10;
  const std::size_t chunk =
      HWY_MAX(kChunkBytes / p.weights_stride / kTileColumns, 1) * kTileColumns;
  for (std::size_t first = begin; first < end; first += chunk) {
    const std::size_t last = HWY_MIN(first + chunk, end);
    std::size_t row = 0;
    for (; row + kTileRows <= p.rows; row += kTileRows)
      quantized_columns<kTileRows, T>(p, row, first, last);
    if (row < p.rows) quantized_columns<1, T>(p, row, first, last);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#endif
