// Weights W [O, I] of GEMMs and look-ups: f32, bf16 or 8-bit, each plain or packed.
//
// bf16 weights are rounded to nearest even; a product with them is that of their values in f32.
//
// In 8 bits, W[o, i] ~ scale[o] q[o, i] with q in -127 .. 127 and one scale per row (output). The
// tensor is i8 [O, quantized_columns(I)]: a row holds its elements, then the 4 bytes of its scale,
// so a range of rows is such a matrix, too.
//
// Packed weights (Backend::pack_weights) keep their shape. Their element type is opaque: only the
// backend knows their memory layout.
#pragma once

#include <cstdint>

#include "attend/tensor/tensor.h"

namespace attend {

inline bool is_packed(const Tensor& weights) {
  return weights.dtype() == DType::packed_f32 || weights.dtype() == DType::packed_bf16 ||
         weights.dtype() == DType::packed_i8;
}
inline bool is_quantized(const Tensor& weights) {
  return weights.dtype() == DType::i8 || weights.dtype() == DType::packed_i8;
}

// The type of packed weights that were f32, bf16 or i8, and back.
constexpr DType packed_type(DType plain) {
  switch (plain) {
    case DType::i8:
      return DType::packed_i8;
    case DType::bf16:
      return DType::packed_bf16;
    default:
      return DType::packed_f32;
  }
}
constexpr DType plain_type(DType weights) {
  switch (weights) {
    case DType::packed_i8:
      return DType::i8;
    case DType::packed_bf16:
      return DType::bf16;
    case DType::packed_f32:
      return DType::f32;
    default:
      return weights;
  }
}

// Columns of the i8 tensor for I elements per row.
constexpr std::int64_t quantized_columns(std::int64_t numbers) {
  return numbers + static_cast<std::int64_t>(sizeof(float));
}

// I of weights [O, I], 8-bit or not.
inline std::int64_t weight_columns(const Tensor& weights) {
  return is_quantized(weights) ? weights.cols() - quantized_columns(0) : weights.cols();
}

}  // namespace attend
