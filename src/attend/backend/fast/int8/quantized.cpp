// GEMM with 8-bit weights (cpu/quantized_weights.h). Activations are rounded to integers row by
// row; the sums are exact.
//
// For columns that are not in panels (cpu/packed_weights.h; the last ones of a matrix, and matrices
// that cannot be packed), both operands are read along the depth. A vector of weights is widened to
// 16 bits and multiplied with a vector of each of a few rows; the instruction also adds neighboring
// products. The sums of a tile are reduced across lanes at the end. Panels have kernels of their
// own (quantized_panels-inl.h, quantized_bytes-inl.h). Integer sums are exact, so all agree bit for
// bit.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/backend/fast/int8/quantized.cpp"
#include "attend/backend/fast/targets.h"
// must come between the two
#include "hwy/foreach_target.h"

#include "attend/backend/fast/activation-inl.h"
#include "attend/backend/fast/int8/quantized_bytes-inl.h"
#include "attend/backend/fast/int8/quantized_panels-inl.h"
#include "attend/backend/fast/int8/quantized_rounding-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

constexpr int kTileRows = 2;
constexpr int kTileColumns = 4;

// Whether this CPU uses 8-bit activations.
bool quantized_in_bytes() {
#if HWY_TARGET == HWY_AVX3
  return __builtin_cpu_supports("avx512vnni");
#else
  return false;
#endif
}

// The depth, rounded up to whole vectors of 16-bit elements: the stride of rounded activations.
std::size_t quantized_stride(std::size_t depth) {
  return (depth + kShorts - 1) / kShorts * kShorts;
}

// Row `row` of `to`, in the format of this CPU's kernels.
void round_row(const float* x, std::size_t row, const RoundedMemory& to) {
  RowOutliers outliers{to.most_outliers};
  RowScale of_row;
  if (quantized_in_bytes()) {
    Outlier* const first = outliers.list = to.outliers + row * to.most_outliers;
    of_row = round_numbers(x, to.depth, to.stride,
                           reinterpret_cast<std::int8_t*>(to.numbers) + row * to.stride, outliers);
    to.outlier_counts[row] = static_cast<std::int32_t>(outliers.list - first);
  } else {
    of_row = round_numbers(x, to.depth, to.stride,
                           reinterpret_cast<std::int16_t*>(to.numbers) + row * to.stride, outliers);
  }
  to.scales[row] = of_row.scale;
  to.shifts[row] = of_row.shift;
}

// `width` elements, followed by their scale.
void quantize_group(const float* x, std::size_t width, std::int8_t* to) {
  RowOutliers none;
  const float scale = round_numbers(x, width, width, to, none).scale;
  __builtin_memcpy(to + width, &scale, sizeof scale);
}

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

HWY_INLINE void activate_part(const QuantizedProduct& p, std::size_t row, std::size_t begin,
                              std::size_t end) {
  float* y = p.y + row * p.y_stride + begin;
  const std::size_t count = end - begin;
  if (p.activation == Activation::none) return;
  with_activation(p.activation,
                  [&](const auto& function) HWY_ATTR { map_row(y, y, count, function); });
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

// Scratch memory of quantized_part, in 16-bit elements, aligned to a vector.
std::size_t quantized_scratch(const QuantizedProduct& p) {
  return p.panel_columns > 0 && !quantized_in_bytes() ? p.depth * kWidth : 0;
}

// Multiplies all rows by the columns [begin, end).
void quantized_part(const QuantizedProduct& p, std::size_t begin, std::size_t end,
                    std::int16_t* scratch) {
  const std::size_t first = HWY_MAX(begin, HWY_MIN(end, p.panel_columns));
#if HWY_TARGET == HWY_AVX3
  if (quantized_in_bytes()) {
    multiply_panels_of_bytes(p, begin, first);
    multiply_columns<std::int8_t>(p, first, end);
  } else
#endif
  {
    multiply_panels_of_shorts(p, begin, first, scratch);
    multiply_columns<std::int16_t>(p, first, end);
  }
  for (std::size_t row = 0; row < p.rows; ++row) activate_part(p, row, begin, end);
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <cassert>

#include "attend/backend/fast/fast_backend.h"
#include "attend/backend/fast/rows/runs.h"
#include "attend/core/parallel.h"

namespace attend {

HWY_EXPORT(quantized_in_bytes);
HWY_EXPORT(quantized_stride);
HWY_EXPORT(round_row);
HWY_EXPORT(quantize_group);
HWY_EXPORT(quantized_scratch);
HWY_EXPORT(quantized_part);

namespace {

// Lays arrays one after the other, each at the beginning of a cache line.
class Layout {
 public:
  // The place of `count` elements of type T.
  template <class T>
  std::size_t add(std::size_t count) {
    const std::size_t begin = size_;
    size_ += (count * sizeof(T) + 63) / 64 * 64;
    return begin;
  }
  std::int64_t size() const { return static_cast<std::int64_t>(size_); }

 private:
  std::size_t size_ = 0;
};

}  // namespace

RoundedRows::RoundedRows(const Tensor& x) {
  const auto rows = static_cast<std::size_t>(x.rows());
  const bool in_bytes = HWY_DYNAMIC_DISPATCH(quantized_in_bytes)();
  parts_.depth = static_cast<std::size_t>(x.cols());
  parts_.stride = HWY_DYNAMIC_DISPATCH(quantized_stride)(parts_.depth);
  parts_.most_outliers = (parts_.depth + kElementsPerOutlier - 1) / kElementsPerOutlier;
  const std::size_t elements = rows * parts_.stride;
  Layout layout;
  const std::size_t numbers = in_bytes ? layout.add<std::int8_t>(elements)
                                       : layout.add<std::int16_t>(elements),
                    scales = layout.add<float>(rows), shifts = layout.add<std::int32_t>(rows),
                    outliers = layout.add<Outlier>(in_bytes ? rows * parts_.most_outliers : 0),
                    outlier_counts = layout.add<std::int32_t>(in_bytes ? rows : 0);
  memory_ = Tensor::empty({layout.size()}, DType::u8);
  std::byte* const begin = memory_.bytes();
  parts_.numbers = begin + numbers;
  parts_.scales = reinterpret_cast<float*>(begin + scales);
  parts_.shifts = reinterpret_cast<std::int32_t*>(begin + shifts);
  parts_.outliers = reinterpret_cast<Outlier*>(begin + outliers);
  parts_.outlier_counts = reinterpret_cast<std::int32_t*>(begin + outlier_counts);

  const auto round = HWY_DYNAMIC_DISPATCH(round_row);
  constexpr std::int64_t kWorthAThread = 1 << 14;  // elements
  parallel_for(x.rows(), kWorthAThread / static_cast<std::int64_t>(parts_.stride) + 1,
               [&](std::int64_t first, std::int64_t last) {
                 for (std::int64_t r = first; r < last; ++r)
                   round(x.row(r), static_cast<std::size_t>(r), parts_);
               });
}

void FastBackend::quantize_groups(const Tensor& x, std::int64_t width, const Tensor& y) {
  const std::int64_t groups = x.cols() / width;
  assert(groups * width == x.cols() && y.cols() == groups * (width + kQuantizedScaleBytes));
  const auto kernel = HWY_DYNAMIC_DISPATCH(quantize_group);
  parallel_for(x.rows(), row_grain(x.cols()), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      for (std::int64_t g = 0; g < groups; ++g)
        kernel(x.row(r) + g * width, static_cast<std::size_t>(width),
               y.row<std::int8_t>(r) + g * (width + kQuantizedScaleBytes));
    }
  });
}

void quantized_linear(const RoundedRows& x, const Tensor& weight, const Tensor& bias,
                      Activation activation, const Tensor& y) {
  QuantizedProduct p;
  p.rows = static_cast<std::size_t>(y.rows());
  p.depth = x->depth;
  p.rounded = x->numbers;
  p.rounded_stride = x->stride;
  p.row_scales = x->scales;
  p.row_shifts = x->shifts;
  p.outliers = x->outliers;
  p.outlier_counts = x->outlier_counts;
  p.most_outliers = x->most_outliers;
  p.weights = weight.as(DType::i8).data<std::int8_t>();
  p.weights_stride = static_cast<std::size_t>(weight.row_stride());
  p.panel_columns = static_cast<std::size_t>(packed_rows(weight));
  if (bias.defined()) p.bias = bias.data();
  p.activation = activation;
  p.y = y.data();
  p.y_stride = static_cast<std::size_t>(y.row_stride());

  // Threads share the columns, in units of at least a cache line of y.
  constexpr std::int64_t kLine = kPanelRows;
  constexpr std::int64_t kWorthSharing = 1 << 17;  // multiplications
  const std::int64_t cost = y.rows() * static_cast<std::int64_t>(x->stride) * kLine;
  const auto kernel = HWY_DYNAMIC_DISPATCH(quantized_part);
  const auto shorts = static_cast<std::int64_t>(HWY_DYNAMIC_DISPATCH(quantized_scratch)(p));
  parallel_for((y.cols() + kLine - 1) / kLine, kWorthSharing / cost + 1,
               [&](std::int64_t begin, std::int64_t end) {
                 Tensor scratch;
                 if (shorts > 0)
                   scratch = Tensor::empty(
                       {shorts * static_cast<std::int64_t>(sizeof(std::int16_t))}, DType::u8);
                 kernel(p, static_cast<std::size_t>(begin * kLine),
                        static_cast<std::size_t>(std::min(end * kLine, y.cols())),
                        reinterpret_cast<std::int16_t*>(scratch.bytes()));
               });
}

}  // namespace attend
#endif
