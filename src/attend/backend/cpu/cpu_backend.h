// What the backends of the CPU have in common: how weights lie in memory. So either of them computes with what the other has packed.
#pragma once

#include "attend/backend/backend.h"

namespace attend {

class CpuBackend : public Backend {
 public:
  Tensor quantize_weights(const Tensor& weights) override;
  void join_quantized(const Tensor& numbers, const Tensor& scales, const Tensor& weights) override;
  void split_quantized(const Tensor& weights, const Tensor& numbers, const Tensor& scales) override;
  std::int64_t packed_row_block(const Tensor& weights) override;
  Tensor pack_weights(const Tensor& weights) override;
  Tensor select_weights(const Tensor& weights, std::span<const std::int32_t> rows) override;
  Tensor float_weights(const Tensor& weights) override;
};

}  // namespace attend
