// Products with weights in 8 bits: linear() for a weight that is_quantized().
#pragma once

#include <cstddef>
#include <cstdint>

#include "attend/backend/backend.h"
#include "attend/backend/cpu/packed_weights.h"

namespace attend {

// What the kernel reads and writes. y[n, o] = activation(row_scales[n] scale[o] (rounded[n] .
// weights[o]) + bias[o]).
struct QuantizedProduct {
  std::size_t rows = 0;
  std::size_t depth = 0;
  const std::byte* rounded =
      nullptr;  // activations, in 8 bits where the processor multiplies bytes, else in 16
  std::size_t rounded_stride = 0;  // numbers
  const float* row_scales = nullptr;
  const std::int32_t* row_shifts =
      nullptr;  // 128 times the sum of the row: what sums with weights + 128 have too much
  const std::int8_t* weights = nullptr;  // panels, then rows of depth numbers and a scale
  std::size_t weights_stride = 0;
  std::size_t panel_columns =
      0;  // that many of y at the front have their weights in panels (cpu/packed_weights.h)
  const float* bias = nullptr;  // null: none
  Activation activation = Activation::none;
  float* y = nullptr;
  std::size_t y_stride = 0;

  template <class T>
  [[gnu::always_inline]] const T* rounded_row(std::size_t row) const {
    return reinterpret_cast<const T*>(rounded) + row * rounded_stride;
  }
};

// Activations [N, I] as the products of this processor want them.
struct RoundedRows {
  explicit RoundedRows(const Tensor& x);

  std::int64_t depth;   // I
  std::int64_t stride;  // numbers from one row to the next
  Tensor numbers;       // [N, stride] in 8 or 16 bits
  Tensor scales;        // [N]
  Tensor shifts;        // [N] i32
};

void quantized_linear(const RoundedRows& x, const Tensor& weight, const Tensor& bias,
                      Activation activation, const Tensor& y);

}  // namespace attend
