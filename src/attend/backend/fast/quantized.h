// Products with weights in 8 bits: linear() for a weight that is_quantized().
#pragma once

#include <cstddef>
#include <cstdint>

#include "attend/backend/backend.h"
#include "attend/tensor/panels.h"

namespace attend {

// What the kernel reads and writes. y[n, o] = activation(row_scales[n] scale[o] (rounded[n] . weights[o]) + bias[o]).
struct QuantizedProduct {
  std::size_t rows = 0;
  std::size_t depth = 0;
  const std::int16_t* rounded = nullptr;  // activations
  std::size_t rounded_stride = 0;
  const float* row_scales = nullptr;
  const std::int8_t* weights = nullptr;  // panels, then rows of depth numbers and a scale
  std::size_t weights_stride = 0;
  std::size_t panel_columns = 0;  // that many of y at the front have their weights in panels (tensor/panels.h)
  const float* bias = nullptr;    // null: none
  Activation activation = Activation::none;
  float* y = nullptr;
  std::size_t y_stride = 0;
};

void quantized_linear(const Tensor& x, const Tensor& weight, const Tensor& bias, Activation activation, const Tensor& y);

}  // namespace attend
