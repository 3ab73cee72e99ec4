// Common parts of the CPU backends: the memory layout of weights, so that each can use weights
// packed by the other; scalar arithmetic; block sizes.
#pragma once

#include "attend/backend/backend.h"

namespace attend {

class CpuBackend : public Backend {
 public:
  BlockSizes block_sizes() const override;
  Tensor quantize_weights(const Tensor& weights, DType type) override;
  void join_quantized(const QuantizedParts& parts, const Tensor& weights) override;
  QuantizedParts split_quantized(const Tensor& weights) override;
  std::string_view weight_layout() const override;
  std::int64_t packed_row_block(const Tensor& weights) override;
  Tensor pack_weights(const Tensor& weights) override;
  Tensor select_weights(const Tensor& weights, const Ids& rows) override;
  Tensor float_weights(const Tensor& weights) override;

  void store(const DeviceScalar& value, double factor, const Tensor& y) override;
  void scaled_add(const DeviceScalar& alpha, float factor, const Tensor& x, float beta,
                  const Tensor& y) override;
  DeviceScalar scale_to_norm(const DeviceScalar& squares, double norm) override;
  DeviceScalar clip_to_norm(const DeviceScalar& squares, double norm) override;

 protected:
  // In the memory of the current device.
  static DeviceScalar device_scalar(double value);
  static double value_of(const DeviceScalar& scalar);
};

}  // namespace attend
