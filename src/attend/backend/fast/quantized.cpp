// Products with weights in 8 bits (tensor/quantized.h). Activations become 16-bit integers, row by row; the sums are exact integers.
//
// Columns that are not in panels (tensor/panels.h; the last ones of a matrix, and matrices that do not fit): both operands lie along the
// depth, as they are in memory. A vector of weights is widened to 16 bits and multiplied with a vector of each of a few rows, neighbouring
// products being added in the same instruction. The sums of a tile are added up across their lanes at the end. Panels have a kernel of
// their own (quantized_panels-inl.h); sums of integers being exact, both agree to the bit.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/backend/fast/quantized.cpp"
#include "attend/backend/fast/targets.h"
// must come between the two
#include "hwy/foreach_target.h"

#include "attend/backend/fast/activation-inl.h"
#include "attend/backend/fast/quantized_panels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

constexpr int kTileRows = 2;
constexpr int kTileColumns = 4;

// Depth, rounded up to whole vectors of 16-bit numbers: the distance of two rows of rounded activations.
std::size_t quantized_stride(std::size_t depth) { return (depth + kShorts - 1) / kShorts * kShorts; }

// q[i] = x[i] * limit / max |x|, to the nearest, ties to even; zeros up to `stride`. -> max |x| / limit; NaN when x is not finite.
float round_row(const float* x, std::size_t depth, float limit, std::size_t stride, std::int16_t* q) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  auto largest = hn::Zero(d);
  auto sum = hn::Zero(d);  // not finite when a number is not
  std::size_t i = 0;
  for (; i + lanes <= depth; i += lanes) {
    const auto v = hn::LoadU(d, x + i);
    largest = hn::Max(largest, hn::Abs(v));
    sum = hn::MulAdd(v, hn::Zero(d), sum);
  }
  if (i < depth) {
    const auto v = load_part(d, x + i, depth - i);
    largest = hn::Max(largest, hn::Abs(v));
    sum = hn::MulAdd(v, hn::Zero(d), sum);
  }
  const float top = hn::GetLane(hn::MaxOfLanes(d, largest));
  const float invalid = hn::GetLane(hn::SumOfLanes(d, sum));
  const float scale = top > 0.0f ? limit / top : 0.0f;
  const hn::Rebind<std::int16_t, Floats> shorts;
  const auto vscale = hn::Set(d, invalid == 0.0f ? scale : 0.0f);
  const auto vlimit = hn::Set(d, limit);
  const auto rounded = [&](FloatVector v) HWY_ATTR {
    const auto bounded = hn::Max(hn::Neg(vlimit), hn::Min(vlimit, hn::Mul(v, vscale)));
    return hn::DemoteTo(shorts, hn::NearestInt(bounded));
  };
  i = 0;
  for (; i + lanes <= depth; i += lanes) hn::StoreU(rounded(hn::LoadU(d, x + i)), shorts, q + i);
  for (std::size_t k = i; k < stride; k += lanes) {
    const bool some = k < depth;
    hn::StoreU(rounded(some ? load_part(d, x + k, depth - k) : hn::Zero(d)), shorts, q + k);
  }
  return top / limit + invalid;
}

#if HWY_TARGET == HWY_SCALAR
template <int rows, int columns>
HWY_INLINE void multiply_integers(const std::int16_t* q, std::size_t stride, const std::int8_t* w, std::size_t w_stride, std::size_t depth,
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
  const auto fold = [&](IntegerVector a, IntegerVector b)
                        HWY_ATTR { return hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b)); };
  const auto ab = hn::BitCast(pairs, fold(sums[0], sums[1]));
  const auto cd = hn::BitCast(pairs, fold(sums[2], sums[3]));
  const auto abcd = hn::Add(hn::BitCast(d, hn::InterleaveLower(pairs, ab, cd)), hn::BitCast(d, hn::InterleaveUpper(pairs, ab, cd)));
  HWY_ALIGN std::int32_t blocks[hn::MaxLanes(d)];
  hn::Store(abcd, d, blocks);
  auto total = hn::Load(four, blocks);
  for (std::size_t block = 4; block < hn::Lanes(d); block += 4) total = hn::Add(total, hn::Load(four, blocks + block));
  hn::StoreU(total, four, totals);
}
// The last vector of a row of weights ends with its scale, and what is behind it: only the first `count` bytes count.
HWY_INLINE hn::Vec<Shorts> load_weights(const std::int8_t* from, std::size_t count) {
  const Bytes bytes;
  if (HWY_LIKELY(count >= kShorts)) return hn::PromoteTo(Shorts(), hn::LoadU(bytes, from));
  HWY_ALIGN std::int8_t part[hn::MaxLanes(bytes)] = {};
  for (std::size_t i = 0; i < count; ++i) part[i] = from[i];
  return hn::PromoteTo(Shorts(), hn::Load(bytes, part));
}

// totals[r][c] = q[r] . w[c] for `rows` rows of rounded activations and `columns` rows of weights.
template <int rows, int columns>
HWY_INLINE void multiply_integers(const std::int16_t* q, std::size_t stride, const std::int8_t* w, std::size_t w_stride, std::size_t depth,
                                  std::int32_t (*totals)[kTileColumns]) {
  const Integers d;
  const Shorts shorts;
  IntegerVector sums[rows][kTileColumns];
  IntegerVector odd[rows][kTileColumns];  // where the instruction set splits the sum in two; zero where not
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < kTileColumns; ++c) sums[r][c] = odd[r][c] = hn::Zero(d);
  }
  const auto step = [&](std::size_t k, std::size_t count) HWY_ATTR {
    hn::Vec<Shorts> activations[rows];
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) activations[r] = hn::Load(shorts, q + static_cast<std::size_t>(r) * stride + k);
#pragma GCC unroll 4
    for (int c = 0; c < columns; ++c) {
      const auto weights = load_weights(w + static_cast<std::size_t>(c) * w_stride + k, count);
#pragma GCC unroll 4
      for (int r = 0; r < rows; ++r) sums[r][c] = hn::ReorderWidenMulAccumulate(d, activations[r], weights, sums[r][c], odd[r][c]);
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

// y[r][c] = totals x scale of the row x scale of the column + bias, the last two in one rounding. `columns` <= kTileColumns.
template <int rows>
HWY_INLINE void write_totals(const QuantizedProduct& p, const std::int32_t (*totals)[kTileColumns], const float* scales, std::size_t row,
                             std::size_t column, std::size_t columns) {
  HWY_ALIGN float bias[kTileColumns] = {};
  if (p.bias != nullptr) __builtin_memcpy(bias, p.bias + column, columns * sizeof(float));
  const hn::CappedTag<float, kTileColumns> d;
  const hn::RebindToSigned<decltype(d)> integers;
  for (std::size_t r = 0; r < rows; ++r) {
    HWY_ALIGN float y[kTileColumns];
    const float row_scale = p.row_scales[row + r];
    for (std::size_t c = 0; c < kTileColumns; c += hn::Lanes(d)) {
      const auto scale = hn::Mul(hn::Set(d, row_scale), hn::Load(d, scales + c));
      hn::Store(hn::MulAdd(hn::ConvertTo(d, hn::LoadU(integers, totals[r] + c)), scale, hn::Load(d, bias + c)), d, y + c);
    }
    __builtin_memcpy(p.y + (row + r) * p.y_stride + column, y, columns * sizeof(float));
  }
}

template <int rows, int columns>
HWY_NOINLINE void quantized_tile(const QuantizedProduct& p, std::size_t row, std::size_t column) {
  HWY_ALIGN std::int32_t totals[rows][kTileColumns];
  const std::int8_t* w = p.weights + column * p.weights_stride;
  multiply_integers<rows, columns>(p.rounded + row * p.rounded_stride, p.rounded_stride, w, p.weights_stride, p.depth, totals);
  HWY_ALIGN float scales[kTileColumns] = {};
  for (std::size_t c = 0; c < columns; ++c) __builtin_memcpy(scales + c, w + c * p.weights_stride + p.depth, sizeof(float));
  write_totals<rows>(p, totals, scales, row, column, columns);
}

template <int rows>
HWY_INLINE void quantized_columns(const QuantizedProduct& p, std::size_t row, std::size_t begin, std::size_t end) {
  std::size_t column = begin;
  for (; column + kTileColumns <= end; column += kTileColumns) quantized_tile<rows, kTileColumns>(p, row, column);
  for (; column < end; ++column) quantized_tile<rows, 1>(p, row, column);
}

HWY_INLINE void activate_part(const QuantizedProduct& p, std::size_t row, std::size_t begin, std::size_t end) {
  float* y = p.y + row * p.y_stride + begin;
  const std::size_t count = end - begin;
  switch (p.activation) {
    case Activation::none:
      return;
    case Activation::relu:
      return map_row(y, y, count, [](FloatVector v) HWY_ATTR { return relu(v); });
    case Activation::gelu:
      return map_row(y, y, count, [](FloatVector v) HWY_ATTR { return gelu(v); });
    case Activation::tanh:
      return map_row(y, y, count, [](FloatVector v) HWY_ATTR { return tanh_of(v); });
  }
}

// 16-bit numbers of scratch memory that quantized_part wants, aligned to a vector.
std::size_t quantized_scratch(const QuantizedProduct& p) { return p.panel_columns > 0 ? p.depth * kWidth : 0; }

// All rows by the columns [begin, end).
void quantized_part(const QuantizedProduct& p, std::size_t begin, std::size_t end, std::int16_t* scratch) {
  std::size_t first = HWY_MAX(begin, HWY_MIN(end, p.panel_columns));
  if (begin < first) quantized_panels_of_this_processor(p, begin, first, scratch);
  // A chunk of the other columns stays in the second-level cache while all rows pass by.
  constexpr std::size_t kChunkBytes = 128 << 10;
  const std::size_t chunk = HWY_MAX(kChunkBytes / p.weights_stride / kTileColumns, 1) * kTileColumns;
  for (; first < end; first += chunk) {
    const std::size_t last = HWY_MIN(first + chunk, end);
    std::size_t row = 0;
    for (; row + kTileRows <= p.rows; row += kTileRows) quantized_columns<kTileRows>(p, row, first, last);
    if (row < p.rows) quantized_columns<1>(p, row, first, last);
  }
  for (std::size_t row = 0; row < p.rows; ++row) activate_part(p, row, begin, end);
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>

#include "attend/core/parallel.h"

namespace attend {

HWY_EXPORT(quantized_stride);
HWY_EXPORT(round_row);
HWY_EXPORT(quantized_scratch);
HWY_EXPORT(quantized_part);

void quantized_linear(const Tensor& x, const Tensor& weight, const Tensor& bias, Activation activation, const Tensor& y) {
  QuantizedProduct p;
  p.rows = static_cast<std::size_t>(y.rows());
  p.depth = static_cast<std::size_t>(x.cols());
  p.rounded_stride = HWY_DYNAMIC_DISPATCH(quantized_stride)(p.depth);
  const auto stride = static_cast<std::int64_t>(p.rounded_stride);
  const Tensor rounded = Tensor::empty({y.rows(), stride * static_cast<std::int64_t>(sizeof(std::int16_t))}, DType::u8);
  const Tensor scales = Tensor::empty({y.rows()});
  auto* integers = reinterpret_cast<std::int16_t*>(rounded.bytes());
  const auto limit = static_cast<float>(quantized_activation_limit(x.cols()));
  const auto round = HWY_DYNAMIC_DISPATCH(round_row);
  constexpr std::int64_t kGrain = 1 << 14;  // numbers
  parallel_for(y.rows(), kGrain / stride + 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) scales.data()[r] = round(x.row(r), p.depth, limit, p.rounded_stride, integers + r * stride);
  });
  p.rounded = integers;
  p.row_scales = scales.data();
  p.weights = weight.as(DType::i8).data<std::int8_t>();
  p.weights_stride = static_cast<std::size_t>(weight.row_stride());
  p.panel_columns = static_cast<std::size_t>(rows_in_panels(weight));
  if (bias.defined()) p.bias = bias.data();
  p.activation = activation;
  p.y = y.data();
  p.y_stride = static_cast<std::size_t>(y.row_stride());

  // Threads share the columns, a cache line of y at the least.
  constexpr std::int64_t kLine = kPanelRows;
  constexpr std::int64_t kWorthSharing = 1 << 17;  // multiplications
  const std::int64_t cost = y.rows() * stride * kLine;
  const auto kernel = HWY_DYNAMIC_DISPATCH(quantized_part);
  const auto shorts = static_cast<std::int64_t>(HWY_DYNAMIC_DISPATCH(quantized_scratch)(p));
  parallel_for((y.cols() + kLine - 1) / kLine, kWorthSharing / cost + 1, [&](std::int64_t begin, std::int64_t end) {
    const Tensor scratch = Tensor::empty({shorts * static_cast<std::int64_t>(sizeof(std::int16_t))}, DType::u8);
    kernel(p, static_cast<std::size_t>(begin * kLine), static_cast<std::size_t>(std::min(end * kLine, y.cols())),
           reinterpret_cast<std::int16_t*>(scratch.bytes()));
  });
}

}  // namespace attend
#endif
