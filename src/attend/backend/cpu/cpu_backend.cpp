#include "attend/backend/cpu/cpu_backend.h"

#include <cassert>

#include "attend/backend/cpu/packed_weights.h"

namespace attend {

Tensor CpuBackend::quantize_weights(const Tensor& weights) { return attend::quantize_weights(weights); }

void CpuBackend::join_quantized(const Tensor& numbers, const Tensor& scales, const Tensor& weights) {
  assert(weight_columns(weights) == numbers.cols() && scales.size() == weights.rows());
  weights.slice_columns(0, numbers.cols()).copy_from(numbers);
  for (std::int64_t row = 0; row < weights.rows(); ++row) set_quantized_scale(weights, row, scales.data()[row]);
}

void CpuBackend::split_quantized(const Tensor& weights, const Tensor& numbers, const Tensor& scales) {
  assert(weight_columns(weights) == numbers.cols() && scales.size() == weights.rows());
  numbers.copy_from(weights.slice_columns(0, numbers.cols()));
  for (std::int64_t row = 0; row < weights.rows(); ++row) scales.data()[row] = quantized_scale(weights, row);
}

std::int64_t CpuBackend::packed_row_block(const Tensor& weights) { return can_pack(weights) ? kPanelRows : 0; }

Tensor CpuBackend::pack_weights(const Tensor& weights) { return attend::pack_weights(weights); }

Tensor CpuBackend::select_weights(const Tensor& weights, std::span<const std::int32_t> rows) {
  return attend::select_weights(weights, rows);
}

Tensor CpuBackend::float_weights(const Tensor& weights) { return attend::float_weights(weights); }

}  // namespace attend
