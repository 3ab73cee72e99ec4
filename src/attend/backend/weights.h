// Weights W [O, I] of products and look-ups, as kernels take them: plain f32, in 8 bits, and either
// of the two packed.
//
// In 8 bits W[o, i] ~ scale[o] q[o, i], with q in -127 .. 127 and a scale for each row, that is for
// each output of a product. The tensor is i8 [O, quantized_columns(I)]: a row holds its numbers and
// then its scale, the 4 bytes of a float, so a range of rows is such a matrix too.
//
// Packed weights (Backend::pack_weights) keep their shape. Their element type is opaque: only the
// backend knows how they lie in memory.
#pragma once

#include <cstdint>

#include "attend/tensor/tensor.h"

namespace attend {

inline bool is_packed(const Tensor& weights) {
  return weights.dtype() == DType::packed_f32 || weights.dtype() == DType::packed_i8;
}
inline bool is_quantized(const Tensor& weights) {
  return weights.dtype() == DType::i8 || weights.dtype() == DType::packed_i8;
}

// Columns of the i8 tensor that holds I numbers a row.
constexpr std::int64_t quantized_columns(std::int64_t numbers) {
  return numbers + static_cast<std::int64_t>(sizeof(float));
}

// I of weights [O, I], in 8 bits or not.
inline std::int64_t weight_columns(const Tensor& weights) {
  return is_quantized(weights) ? weights.cols() - quantized_columns(0) : weights.cols();
}

}  // namespace attend
