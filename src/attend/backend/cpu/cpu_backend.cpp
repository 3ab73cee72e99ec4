#include "attend/backend/cpu/cpu_backend.h"

#include <fmt/format.h>

#include <cassert>
#include <cmath>

#include "attend/backend/cpu/grouped_weights.h"
#include "attend/backend/cpu/packed_weights.h"
#include "attend/backend/ids_span.h"
#include "attend/backend/quantized_depth.h"
#include "attend/error.h"

namespace attend {

// With V = 10,000 the logits of a loss block are 20 MB: small enough to be reused soon, tall enough
// for an efficient GEMM. A decoding block stays in the shared cache. An inner width of 2048 gets
// 1024 rows at a time.
BlockSizes CpuBackend::block_sizes() const {
  return {.product_rows = 128, .loss_rows = 512, .decoding_rows = 48, .inner_numbers = 1 << 21};
}

Tensor CpuBackend::quantize_weights(const Tensor& weights, DType type) {
  if (weights.cols() > kMostQuantizedDepth)
    throw DataError(
        fmt::format("expected rows of at most {} weights in 8 or 4 bits, found {}; use 16 bits",
                    kMostQuantizedDepth, weights.cols()));
  return type == DType::i4 ? group_weights(weights) : attend::quantize_weights(weights);
}

void CpuBackend::join_quantized(const QuantizedParts& parts, const Tensor& weights) {
  assert(parts.scales.size() == weights.rows());
  const Tensor bytes = weights.as(DType::u8);
  const std::int64_t numbers = parts.numbers.cols(), end = bytes.cols() - quantized_columns(0);
  bytes.slice_columns(0, numbers).copy_from(parts.numbers.as(DType::u8));
  if (parts.factors.defined()) bytes.slice_columns(numbers, end).copy_from(parts.factors);
  for (std::int64_t row = 0; row < weights.rows(); ++row)
    set_quantized_scale(weights, row, parts.scales.data()[row]);
}

QuantizedParts CpuBackend::split_quantized(const Tensor& weights) {
  const std::int64_t columns = weight_columns(weights);
  QuantizedParts parts;
  const Tensor bytes = weights.as(DType::u8);
  if (weights.dtype() == DType::i4) {
    const std::int64_t end = columns / 2 + factor_bytes(columns);
    parts.numbers = bytes.slice_columns(0, columns / 2).clone();
    parts.factors = bytes.slice_columns(columns / 2, end).clone();
  } else {
    parts.numbers = weights.slice_columns(0, columns).clone();
  }
  parts.scales = Tensor::empty({weights.rows()});
  for (std::int64_t row = 0; row < weights.rows(); ++row)
    parts.scales.data()[row] = quantized_scale(weights, row);
  return parts;
}

std::string_view CpuBackend::weight_layout() const { return kPanelLayout; }

std::int64_t CpuBackend::packed_row_block(const Tensor& weights) {
  return can_pack(weights) ? kPanelRows : 0;
}

Tensor CpuBackend::pack_weights(const Tensor& weights) { return attend::pack_weights(weights); }

Tensor CpuBackend::select_weights(const Tensor& weights, const Ids& rows) {
  return attend::select_weights(weights, device_span(rows));
}

Tensor CpuBackend::float_weights(const Tensor& weights) { return attend::float_weights(weights); }

DeviceScalar CpuBackend::device_scalar(double value) {
  const Tensor element = Tensor::empty({1}, DType::f64);
  *element.data<double>() = value;
  return DeviceScalar(element);
}

double CpuBackend::value_of(const DeviceScalar& scalar) {
  const Tensor& element = scalar.element();
  if (!element.defined()) return scalar;
  return element.dtype() == DType::f64 ? *element.data<double>()
                                       : static_cast<double>(*element.data());
}

void CpuBackend::store(const DeviceScalar& value, double factor, const Tensor& y) {
  assert(y.size() == 1);
  *y.data() = static_cast<float>(value_of(value) * factor);
}

void CpuBackend::scaled_add(const DeviceScalar& alpha, float factor, const Tensor& x, float beta,
                            const Tensor& y) {
  axpby(factor * static_cast<float>(value_of(alpha)), x, beta, y);
}

DeviceScalar CpuBackend::scale_to_norm(const DeviceScalar& squares, double norm) {
  constexpr double kShortest = 1e-30;
  const double length = std::sqrt(value_of(squares));
  return device_scalar(length > kShortest ? static_cast<float>(norm / length) : 0.0f);
}

DeviceScalar CpuBackend::clip_to_norm(const DeviceScalar& squares, double norm) {
  const double length = std::sqrt(value_of(squares));
  return device_scalar(length > norm ? static_cast<float>(norm / length) : 1.0f);
}

}  // namespace attend
