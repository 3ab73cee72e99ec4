// Weights in 8 bits: W[o, i] ~ scale[o] q[o, i] with q in -127 .. 127 and a scale for every row, that is for every output of a product.
//
// As a tensor: i8 [O, I + 4]. A row holds its numbers and then its scale, the 4 bytes of a float, so a range of rows is such a matrix too.
#pragma once

#include <cstdint>

#include "attend/tensor/tensor.h"

namespace attend {

constexpr std::int64_t kQuantizedScaleBytes = sizeof(float);

inline bool is_quantized(const Tensor& weights) { return weights.dtype() == DType::i8 || weights.dtype() == DType::i8_panels; }

// I of a matrix of weights [O, I], in 8 bits or not.
inline std::int64_t weight_columns(const Tensor& weights) {
  return is_quantized(weights) ? weights.cols() - kQuantizedScaleBytes : weights.cols();
}

float quantized_scale(const Tensor& quantized, std::int64_t row);
void set_quantized_scale(const Tensor& quantized, std::int64_t row, float scale);

// f32 [O, I] -> i8 [O, I + 4]: the scale of a row is its largest magnitude / 127, numbers are rounded to the nearest, ties to even.
// Throws ShapeError unless `weights` is a matrix, DataError when a number is not finite.
Tensor quantize_rows(const Tensor& weights);
// The numbers that a quantised matrix stands for: f32 [O, I].
Tensor dequantize_rows(const Tensor& quantized);

// Activations are rounded to 8 bits, too, row by row, inside a product with a quantised matrix: to -127 .. 127 times the largest magnitude
// of the row / 127. A row of nothing but numbers below kQuantizedVanishing becomes zeros. The sums of integers are exact in 32 bits up to a
// depth of 65,536, so their order does not matter.
constexpr std::int32_t kQuantizedActivationLimit = 127;
constexpr float kQuantizedVanishing = 1e-30f;

}  // namespace attend
