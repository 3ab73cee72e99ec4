// GEMM with weights in 8 bits (cpu/quantized_weights.h) or 4 (weights.h). Activations are rounded
// to integers row by row; the sums are exact.
//
// All kernels read panels of weights (cpu/packed_weights.h); rows that are not in panels are put
// into some first. Tiles of y (quantized_tiles-inl.h) are computed with 16-bit activations
// (quantized_shorts-inl.h) or, on CPUs with byte dot products, with 8-bit ones
// (quantized_bytes-inl.h, and quantized_nibbles-inl.h for few rows by weights in 4 bits; on ARM
// those with _neon). Integer sums are exact, so all agree bit for bit.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/backend/fast/int8/quantized.cpp"
#include "attend/backend/fast/targets.h"
// must come between the two
#include "hwy/foreach_target.h"

#include "attend/backend/fast/activation-inl.h"
#include "attend/backend/fast/int8/quantized_bytes-inl.h"
#include "attend/backend/fast/int8/quantized_bytes_neon-inl.h"
#include "attend/backend/fast/int8/quantized_nibbles-inl.h"
#include "attend/backend/fast/int8/quantized_nibbles_neon-inl.h"
#include "attend/backend/fast/int8/quantized_rounding-inl.h"
#include "attend/backend/fast/int8/quantized_shorts-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
constexpr bool kHasByteKernels = true;
#else
constexpr bool kHasByteKernels = false;
using ByteKernels = ShortKernels;
#endif

// Whether this CPU uses 8-bit activations.
bool quantized_in_bytes() { return kHasByteKernels && ByteKernels::available(); }

// The depth, rounded up to whole vectors of 16-bit elements, and whole lines of panels: the stride
// of rounded activations.
std::size_t quantized_stride(std::size_t depth) {
  constexpr std::size_t kUnit = HWY_MAX(kShorts, 4);
  return (depth + kUnit - 1) / kUnit * kUnit;
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

HWY_INLINE void activate_part(const QuantizedProduct& p, std::size_t row, std::size_t begin,
                              std::size_t end) {
  float* y = p.y + row * p.y_stride + begin;
  const std::size_t count = end - begin;
  if (p.activation == Activation::none) return;
  with_activation(p.activation,
                  [&](const auto& function) HWY_ATTR { map_row(y, y, count, function); });
}

template <class Kernels>
constexpr bool multiplies_nibbles(const QuantizedProduct& p) {
  return p.in_four_bits && p.rows <= Kernels::kFewRows;
}

template <class Kernels>
HWY_INLINE std::size_t scratch_bytes(const QuantizedProduct& p) {
  if constexpr (Kernels::kFewRows > 0) {
    if (multiplies_nibbles<Kernels>(p)) return Kernels::scratch_of_few(p);
  }
  const std::size_t widened = p.in_four_bits ? Kernels::kWidened * wide_panel_bytes(p.depth) : 0;
  return widened + Kernels::scratch(p.depth);
}

template <class Kernels>
HWY_INLINE void multiply_columns(const QuantizedProduct& p, std::size_t begin, std::size_t end,
                                 std::byte* scratch) {
  if (!p.in_four_bits) return Kernels::multiply(p, begin, end, scratch);
  if constexpr (Kernels::kFewRows > 0) {
    if (multiplies_nibbles<Kernels>(p)) return Kernels::multiply_few(p, begin, end, scratch);
  }
  constexpr std::size_t kColumns = Kernels::kWidened * kWidth;
  auto* const wide = reinterpret_cast<std::int8_t*>(scratch);
  std::byte* const rest = scratch + Kernels::kWidened * wide_panel_bytes(p.depth);
  for (std::size_t column = begin; column < end; column += kColumns) {
    const QuantizedProduct part = widened_part(p, column, HWY_MIN(column + kColumns, end), wide);
    Kernels::multiply(part, 0, part.panel_columns, rest);
  }
}

// Scratch memory of quantized_part in bytes, aligned to a vector.
std::size_t quantized_scratch(const QuantizedProduct& p) {
  return quantized_in_bytes() ? scratch_bytes<ByteKernels>(p) : scratch_bytes<ShortKernels>(p);
}

// Multiplies all rows by the columns [begin, end) of whole panels.
void quantized_part(const QuantizedProduct& p, std::size_t begin, std::size_t end,
                    std::byte* scratch) {
  if (quantized_in_bytes()) {
    multiply_columns<ByteKernels>(p, begin, end, scratch);
  } else {
    multiply_columns<ShortKernels>(p, begin, end, scratch);
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
#include "attend/core/threads/parallel.h"

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

namespace {

QuantizedProduct product_of(const RoundedRows& x, const Tensor& weight, const Tensor& bias,
                            Activation activation, const Tensor& y) {
  QuantizedProduct p;
  p.rows = static_cast<std::size_t>(y.rows());
  p.depth = static_cast<std::size_t>(weight_columns(weight));
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
  p.in_four_bits = plain_type(weight.dtype()) == DType::i4;
  if (bias.defined()) p.bias = bias.data();
  p.activation = activation;
  p.y = y.data();
  p.y_stride = static_cast<std::size_t>(y.row_stride());
  return p;
}

// The columns [begin, end) of whole panels.
void multiply(const QuantizedProduct& p, std::int64_t begin, std::int64_t end) {
  Tensor scratch;
  const auto bytes = static_cast<std::int64_t>(HWY_DYNAMIC_DISPATCH(quantized_scratch)(p));
  if (bytes > 0) scratch = Tensor::empty({bytes}, DType::u8);
  HWY_DYNAMIC_DISPATCH(quantized_part)
  (p, static_cast<std::size_t>(begin), static_cast<std::size_t>(end), scratch.bytes());
}

// All columns of y, at most as many as a panel has, with rows of weights that are in none.
void multiply_unpacked(const RoundedRows& x, const Tensor& rows, const Tensor& bias,
                       Activation activation, const Tensor& y) {
  const Tensor whole = Tensor::empty({y.rows(), kPanelRows});
  Tensor whole_bias;
  if (bias.defined()) {
    whole_bias = Tensor::zeros({kPanelRows});
    std::copy_n(bias.data(), bias.size(), whole_bias.data());
  }
  multiply(product_of(x, padded_panel(rows), whole_bias, activation, whole), 0, kPanelRows);
  y.copy_from(whole.slice_columns(0, y.cols()));
}

}  // namespace

void quantized_linear(const RoundedRows& x, const Tensor& weight, const Tensor& bias,
                      Activation activation, const Tensor& y) {
  const QuantizedProduct p = product_of(x, weight, bias, activation, y);
  // Threads share the panels: 16 columns are a cache line of y.
  const std::int64_t packed = packed_rows(weight) / kPanelRows,
                     all = (y.cols() + kPanelRows - 1) / kPanelRows;
  constexpr std::int64_t kWorthSharing = 1 << 17;  // multiplications
  const std::int64_t cost = y.rows() * static_cast<std::int64_t>(x->stride) * kPanelRows;
  parallel_for(all, kWorthSharing / cost + 1, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t last = std::min(packed, end);
    if (begin < last) multiply(p, begin * kPanelRows, last * kPanelRows);
    for (std::int64_t panel = std::max(packed, begin); panel < end; ++panel) {
      const std::int64_t first = panel * kPanelRows, stop = std::min(first + kPanelRows, y.cols());
      multiply_unpacked(x, weight.slice_rows(first, stop),
                        bias.defined() ? bias.slice_rows(first, stop) : bias, activation,
                        y.slice_columns(first, stop));
    }
  });
}

}  // namespace attend
#endif
