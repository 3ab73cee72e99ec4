// Weights in 8 bits (weights.h) in the memory of the host.
#pragma once

#include <cstdint>

#include "attend/backend/weights.h"

namespace attend {

constexpr std::int64_t kQuantizedScaleBytes = quantized_columns(0);

float quantized_scale(const Tensor& quantized, std::int64_t row);
void set_quantized_scale(const Tensor& quantized, std::int64_t row, float scale);

// The scale of a row is its largest magnitude / 127; numbers are rounded to the nearest, ties to
// even. Throws ShapeError unless `weights` is a matrix, DataError when a number is not finite.
Tensor quantize_weights(const Tensor& weights);
// The numbers that weights in 8 bits, not packed, stand for: f32 [O, I].
Tensor dequantize_weights(const Tensor& quantized);

// Activations are rounded to 8 bits, too, row by row, inside a product with a quantized matrix: to
// -127 .. 127 times the largest magnitude of the row / 127. A row of nothing but numbers below
// kQuantizedVanishing becomes zeros. The sums of integers are exact in 32 bits up to a depth of
// 65,536, so their order does not matter.
constexpr std::int32_t kQuantizedActivationLimit = 127;
constexpr float kQuantizedVanishing = 1e-30f;

}  // namespace attend
