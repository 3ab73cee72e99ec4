// 8-bit weights (weights.h) in host memory.
#pragma once

#include <cstdint>

#include "attend/backend/weights.h"

namespace attend {

constexpr std::int64_t kQuantizedScaleBytes = quantized_columns(0);

// They read and write the scale of a row in 8 or 4 bits that is not packed.
float quantized_scale(const Tensor& quantized, std::int64_t row);
void set_quantized_scale(const Tensor& quantized, std::int64_t row, float scale);

// The scale of a row is its largest magnitude / 127; elements are rounded to nearest even. A row
// whose elements are all below 4e-37 becomes zeros. Throws ShapeError unless `weights` is a matrix,
// DataError if an element is not finite.
Tensor quantize_weights(const Tensor& weights);
// The values of unpacked 8-bit weights: f32 [O, I].
Tensor dequantize_weights(const Tensor& quantized);

// A GEMM with quantized weights also rounds its activations: each row to integers times its limit /
// 127. The limit is the largest magnitude of the row, halved as long as at most one of every 128
// elements, rounded up, is beyond it, and kMostHalvings times at most. Elements beyond the limit
// are outliers: they become integers up to 127 * 256. Without them a few large activations would
// leave all others little of the 8 bits (Dettmers et al. 2022). A row whose elements are all below
// kQuantizedVanishing becomes zeros. Integer sums are exact in 32 bits up to a depth of
// kMostQuantizedDepth, so their order does not matter.
constexpr std::int32_t kQuantizedActivationLimit = 127;
constexpr std::int64_t kElementsPerOutlier = 128;
constexpr int kMostHalvings = 8;
constexpr float kQuantizedVanishing = 1e-30f;

}  // namespace attend
