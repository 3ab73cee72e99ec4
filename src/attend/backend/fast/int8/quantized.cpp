// GEMM with weights in 8 bits (cpu/quantized_weights.h) or 4 (weights.h). Activations are rounded
// to integers row by row; the sums are exact.
//
// Weights in rows and in panels (cpu/packed_weights.h) have kernels of their own
// (quantized_rows-inl.h; quantized_panels-inl.h, quantized_bytes-inl.h, and
// quantized_nibbles-inl.h for 4 bits; on ARM quantized_bytes_neon-inl.h and
// quantized_nibbles_neon-inl.h). Integer sums are exact, so all agree bit for bit.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/backend/fast/int8/quantized.cpp"
#include "attend/backend/fast/targets.h"
// must come between the two
#include "hwy/foreach_target.h"

#include "attend/backend/fast/activation-inl.h"
#include "attend/backend/fast/cpu_extensions.h"
#include "attend/backend/fast/int8/quantized_bytes-inl.h"
#include "attend/backend/fast/int8/quantized_bytes_neon-inl.h"
#include "attend/backend/fast/int8/quantized_nibbles-inl.h"
#include "attend/backend/fast/int8/quantized_nibbles_neon-inl.h"
#include "attend/backend/fast/int8/quantized_panels-inl.h"
#include "attend/backend/fast/int8/quantized_rounding-inl.h"
#include "attend/backend/fast/int8/quantized_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

// Whether this CPU uses 8-bit activations.
bool quantized_in_bytes() {
#if HWY_TARGET == HWY_AVX3
  return cpu_extensions().vnni;
#elif HWY_TARGET == HWY_NEON
  return cpu_extensions().dotprod;
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

HWY_INLINE void activate_part(const QuantizedProduct& p, std::size_t row, std::size_t begin,
                              std::size_t end) {
  float* y = p.y + row * p.y_stride + begin;
  const std::size_t count = end - begin;
  if (p.activation == Activation::none) return;
  with_activation(p.activation,
                  [&](const auto& function) HWY_ATTR { map_row(y, y, count, function); });
}

// Scratch memory of quantized_part in bytes, aligned to a vector.
std::size_t quantized_scratch(const QuantizedProduct& p) {
  if (p.panel_columns == 0) return 0;
  const std::size_t panel = p.in_four_bits ? wide_panel_bytes(p.depth) : 0;
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
  if (quantized_in_bytes() && p.in_four_bits && p.rows <= kFewRows)
    return p.rows * (p.depth / kGroup) * sizeof(std::int32_t);
#endif
  if (quantized_in_bytes()) return 2 * panel;
  return panel + p.depth * kWidth * sizeof(std::int16_t);
}

// All rows by the columns [begin, end), whose weights are in 4 bits.
HWY_INLINE void multiply_nibbles(const QuantizedProduct& p, std::size_t begin, std::size_t end,
                                 std::byte* scratch) {
  auto* const wide = reinterpret_cast<std::int8_t*>(scratch);
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
  if (quantized_in_bytes()) {
    if (p.rows <= kFewRows)
      return multiply_few_rows(p, begin, end, reinterpret_cast<std::int32_t*>(scratch));
    for (std::size_t column = begin; column < end; column += 2 * kWidth) {
      const QuantizedProduct part =
          widened_part(p, column, HWY_MIN(column + 2 * kWidth, end), wide);
      multiply_panels_of_bytes(part, 0, part.panel_columns);
    }
    return;
  }
#endif
  auto* const shorts = reinterpret_cast<std::int16_t*>(scratch + wide_panel_bytes(p.depth));
  for (std::size_t column = begin; column < end; column += kWidth)
    multiply_panels_of_shorts(widened_part(p, column, column + kWidth, wide), 0, kWidth, shorts);
}

// Multiplies all rows by the columns [begin, end).
void quantized_part(const QuantizedProduct& p, std::size_t begin, std::size_t end,
                    std::byte* scratch) {
  const std::size_t first = HWY_MAX(begin, HWY_MIN(end, p.panel_columns));
  if (p.in_four_bits) {
    multiply_nibbles(p, begin, end, scratch);
  } else
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
      if (quantized_in_bytes()) {
    multiply_panels_of_bytes(p, begin, first);
    multiply_columns<std::int8_t>(p, first, end);
  } else
#endif
  {
    multiply_panels_of_shorts(p, begin, first, reinterpret_cast<std::int16_t*>(scratch));
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

#include "attend/backend/cpu/grouped_weights.h"
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
  p.in_four_bits = plain_type(weight.dtype()) == DType::i4;
  if (bias.defined()) p.bias = bias.data();
  p.activation = activation;
  p.y = y.data();
  p.y_stride = static_cast<std::size_t>(y.row_stride());
  return p;
}

// With panels in 4 bits, and what comes after them in 8.
void linear_in_parts(const RoundedRows& x, const Tensor& weight, const Tensor& bias,
                     Activation activation, const Tensor& y) {
  const std::int64_t all = weight.rows(), in_panels = packed_rows(weight);
  const auto multiply = [&](const Tensor& rows, std::int64_t begin, std::int64_t end) {
    if (begin == end) return;
    quantized_linear(x, rows, bias.defined() ? bias.slice_rows(begin, end) : bias, activation,
                     y.slice_columns(begin, end));
  };
  multiply(weight.slice_rows(0, in_panels), 0, in_panels);
  multiply(in_eight_bits(weight.slice_rows(in_panels, all).as(DType::i4)), in_panels, all);
}

}  // namespace

void quantized_linear(const RoundedRows& x, const Tensor& weight, const Tensor& bias,
                      Activation activation, const Tensor& y) {
  const QuantizedProduct p = product_of(x, weight, bias, activation, y);
  if (p.in_four_bits && packed_rows(weight) < weight.rows())
    return linear_in_parts(x, weight, bias, activation, y);

  // Threads share the columns, in units of at least a cache line of y.
  constexpr std::int64_t kLine = kPanelRows;
  constexpr std::int64_t kWorthSharing = 1 << 17;  // multiplications
  const std::int64_t cost = y.rows() * static_cast<std::int64_t>(x->stride) * kLine;
  const auto kernel = HWY_DYNAMIC_DISPATCH(quantized_part);
  const auto bytes = static_cast<std::int64_t>(HWY_DYNAMIC_DISPATCH(quantized_scratch)(p));
  parallel_for((y.cols() + kLine - 1) / kLine, kWorthSharing / cost + 1,
               [&](std::int64_t begin, std::int64_t end) {
                 Tensor scratch;
                 if (bytes > 0) scratch = Tensor::empty({bytes}, DType::u8);
                 kernel(p, static_cast<std::size_t>(begin * kLine),
                        static_cast<std::size_t>(std::min(end * kLine, y.cols())), scratch.bytes());
               });
}

}  // namespace attend
#endif
