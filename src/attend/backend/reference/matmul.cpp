#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <vector>

#include "attend/backend/cpu/grouped_weights.h"
#include "attend/backend/cpu/packed_weights.h"
#include "attend/backend/reference/reference_backend.h"
#include "attend/backend/reference/rounding.h"

namespace attend {

namespace {

using reference::factor;

// A GEMM operand, a matrix or its transpose: element (i, j) is at i * row_step + j * column_step.
struct Operand {
  Operand(const Tensor& x, bool transpose, Precision precision_wanted)
      : data(x.data()),
        row_step(transpose ? 1 : x.row_stride()),
        column_step(transpose ? x.row_stride() : 1),
        precision(precision_wanted) {}
  double at(std::int64_t i, std::int64_t j) const {
    return factor(data[i * row_step + j * column_step], precision);
  }

  const float* data;
  std::int64_t row_step;
  std::int64_t column_step;
  Precision precision;
};

// A row of activations as integers, and their scale.
struct RoundedRow {
  std::vector<std::int32_t> values;
  float scale = 0.0f;
};

// With at most `outliers` integers beyond -127 .. 127 (cpu/quantized_weights.h).
RoundedRow round_row(const float* x, std::int64_t depth, std::int64_t outliers) {
  constexpr auto limit = static_cast<float>(kQuantizedActivationLimit);
  float largest = 0.0f;
  for (std::int64_t i = 0; i < depth; ++i) {
    if (!std::isfinite(x[i]))
      return {std::vector<std::int32_t>(static_cast<std::size_t>(depth)), std::nanf("")};
    largest = std::max(largest, std::fabs(x[i]));
  }
  float bound = largest;
  const auto beyond = [&](float number) {
    return std::count_if(x, x + depth, [&](float element) { return std::fabs(element) > number; });
  };
  for (int i = 0; i < kMostHalvings && beyond(bound / 2.0f) <= outliers; ++i) bound /= 2.0f;
  const float inverse = largest >= kQuantizedVanishing ? limit / bound : 0.0f;
  RoundedRow row;
  for (std::int64_t i = 0; i < depth; ++i)
    row.values.push_back(static_cast<std::int32_t>(std::nearbyint(x[i] * inverse)));
  row.scale = bound / limit;
  return row;
}

void naive_quantized_linear(const Tensor& x, const Tensor& weight, const Tensor& bias,
                            Activation activation, const Tensor& y) {
  for (std::int64_t n = 0; n < y.rows(); ++n) {
    const RoundedRow row =
        round_row(x.row(n), x.cols(), (x.cols() + kElementsPerOutlier - 1) / kElementsPerOutlier);
    for (std::int64_t o = 0; o < y.cols(); ++o) {
      std::int64_t total = 0;
      for (std::int64_t i = 0; i < x.cols(); ++i)
        total += row.values[static_cast<std::size_t>(i)] * weight.row<std::int8_t>(o)[i];
      double value = static_cast<double>(total) * row.scale * quantized_scale(weight, o);
      if (bias.defined()) value += bias.data()[o];
      y.row(n)[o] = reference::activated(activation, static_cast<float>(value));
    }
  }
}

}  // namespace

void ReferenceBackend::quantize_groups(const Tensor& x, std::int64_t width, const Tensor& y) {
  assert(y.cols() * width == x.cols() * (width + kQuantizedScaleBytes));
  for (std::int64_t n = 0; n < x.rows(); ++n) {
    std::int8_t* to = y.row<std::int8_t>(n);
    for (std::int64_t begin = 0; begin < x.cols(); begin += width) {
      const RoundedRow group = round_row(x.row(n) + begin, width, 0);
      to = std::copy(group.values.begin(), group.values.end(), to);
      std::memcpy(to, &group.scale, sizeof group.scale);
      to += kQuantizedScaleBytes;
    }
  }
}

void ReferenceBackend::matmul(const Tensor& a, const Tensor& b, const MatmulOptions& options,
                              const Tensor& c) {
  const Operand left(a, options.transpose_a, options.precision);
  const Operand right(b, options.transpose_b, options.precision);
  const std::int64_t depth = options.transpose_a ? a.rows() : a.cols();
  for (std::int64_t i = 0; i < c.rows(); ++i) {
    for (std::int64_t j = 0; j < c.cols(); ++j) {
      double total = options.beta == 0.0f ? 0.0 : double{options.beta} * c.row(i)[j];
      for (std::int64_t k = 0; k < depth; ++k) total += left.at(i, k) * right.at(k, j);
      c.row(i)[j] = static_cast<float>(total);
    }
  }
}

void ReferenceBackend::linear(const Tensor& x, const Tensor& weight, const Tensor& bias,
                              const LinearOptions& options, const Tensor& y) {
  assert(x.cols() == weight_columns(weight) && y.cols() == weight.rows());
  if (is_packed(weight)) return linear(x, unpack_weights(weight), bias, {options.activation}, y);
  if (weight.dtype() == DType::bf16)
    return linear(x, float_weights(weight), bias, {options.activation}, y);
  if (weight.dtype() == DType::i4)
    return linear(x, in_eight_bits(weight), bias, {options.activation}, y);
  if (is_quantized(weight)) return naive_quantized_linear(x, weight, bias, options.activation, y);
  const Precision precision = options.precision;
  for (std::int64_t n = 0; n < y.rows(); ++n) {
    for (std::int64_t o = 0; o < y.cols(); ++o) {
      double total = bias.defined() ? bias.data()[o] : 0.0;
      for (std::int64_t i = 0; i < x.cols(); ++i)
        total += factor(x.row(n)[i], precision) * factor(weight.row(o)[i], precision);
      y.row(n)[o] = reference::activated(options.activation, static_cast<float>(total));
    }
  }
}

}  // namespace attend
