// GEMM with weights in 8 or 4 bits: linear() for a weight that is_quantized().
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
  // 8-bit activations have outlier_counts[n] outliers in row n, from outliers[n * most_outliers]
  // on.
  const Outlier* outliers = nullptr;
  const std::int32_t* outlier_counts = nullptr;
  std::size_t most_outliers = 0;
  const std::int8_t* weights = nullptr;  // panels (cpu/packed_weights.h)
  std::size_t weights_stride = 0;        // bytes of a row in a panel
  std::size_t panel_columns = 0;         // columns of y whose weights are in panels
  bool in_four_bits = false;
  const float* bias = nullptr;  // null: none
  Activation activation = Activation::none;
  float* y = nullptr;
  std::size_t y_stride = 0;

  template <class T>
  [[gnu::always_inline]] const T* rounded_row(std::size_t row) const {
    return reinterpret_cast<const T*>(rounded) + row * rounded_stride;
  }
};

// Rounded activations in memory: where kernels write and read them.
struct RoundedMemory {
  std::size_t depth = 0;                   // I
  std::size_t stride = 0;                  // elements from one row to the next
  std::size_t most_outliers = 0;           // of a row
  std::byte* numbers = nullptr;            // [N, stride] in 8 or 16 bits
  float* scales = nullptr;                 // [N]
  std::int32_t* shifts = nullptr;          // [N]
  Outlier* outliers = nullptr;             // [N, most_outliers], unless in 16 bits
  std::int32_t* outlier_counts = nullptr;  // [N], unless in 16 bits
};

// Activations [N, I] in the format of this CPU's kernels.
class RoundedRows {
 public:
  explicit RoundedRows(const Tensor& x);

  const RoundedMemory& operator*() const { return parts_; }
  const RoundedMemory* operator->() const { return &parts_; }

 private:
  Tensor memory_;  // of all parts: one block costs less than five
  RoundedMemory parts_;
};

void quantized_linear(const RoundedRows& x, const Tensor& weight, const Tensor& bias,
                      Activation activation, const Tensor& y);

}  // namespace attend
