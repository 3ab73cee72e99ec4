// GEMM with 8-bit weights: linear() for a weight that is_quantized().
#pragma once

#include <cstddef>
#include <cstdint>

#include "attend/backend/backend.h"
#include "attend/backend/cpu/packed_weights.h"

namespace attend {

// What bytes cannot hold of an integer of a row: it is `high` * 256 plus its byte.
struct Outlier {
  std::int32_t index;  // in the row
  std::int32_t high;   // -127 .. 127
};

// The operands of the kernel. y[n, o] = activation(row_scales[n] scale[o] (rounded[n] . weights[o])
// + bias[o]).
struct QuantizedProduct {
  std::size_t rows = 0;
  std::size_t depth = 0;
  // Activations, in 8 bits if the CPU has byte dot products, else in 16.
  const std::byte* rounded = nullptr;
  std::size_t rounded_stride = 0;  // elements
  const float* row_scales = nullptr;
  // 128 times the sum of the row: the excess of sums with weights + 128.
  const std::int32_t* row_shifts = nullptr;
  // Of 8-bit activations: those of row n are outliers[n * most_outliers ..], outlier_counts[n] of
  // them.
  const Outlier* outliers = nullptr;
  const std::int32_t* outlier_counts = nullptr;
  std::size_t most_outliers = 0;
  const std::int8_t* weights = nullptr;  // panels, then rows of depth elements and a scale
  std::size_t weights_stride = 0;
  // The first columns of y whose weights are in panels (cpu/packed_weights.h)
  std::size_t panel_columns = 0;
  const float* bias = nullptr;  // null: none
  Activation activation = Activation::none;
  float* y = nullptr;
  std::size_t y_stride = 0;

  template <class T>
  [[gnu::always_inline]] const T* rounded_row(std::size_t row) const {
    return reinterpret_cast<const T*>(rounded) + row * rounded_stride;
  }
};

// Where rounded activations are written, for the kernels.
struct RoundedMemory {
  std::size_t depth, most_outliers;
  std::byte* numbers;
  float* scales;
  std::int32_t* shifts;
  Outlier* outliers;
  std::int32_t* outlier_counts;
};

// Activations [N, I] in the format of this CPU's kernels.
struct RoundedRows {
  explicit RoundedRows(const Tensor& x);

  std::int64_t depth;          // I
  std::int64_t stride;         // elements from one row to the next
  std::int64_t most_outliers;  // of a row
  Tensor numbers;              // [N, stride] in 8 or 16 bits
  Tensor scales;               // [N]
  Tensor shifts;               // [N] i32
  Tensor outliers;             // [N, most_outliers] of type Outlier, unless in 16 bits
  Tensor outlier_counts;       // [N] i32
};

void quantized_linear(const RoundedRows& x, const Tensor& weight, const Tensor& bias,
                      Activation activation, const Tensor& y);

}  // namespace attend
