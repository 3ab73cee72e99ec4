#include "attend/backend/cpu/quantized_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "attend/error.h"

namespace attend {

namespace {

constexpr float kLargest = 127.0f;
// The inverse of a smaller scale would not be finite.
constexpr float kVanishing = kLargest / std::numeric_limits<float>::max();

std::byte* scale_bytes(const Tensor& quantized, std::int64_t row) {
  return quantized.row_bytes(row) + quantized.cols() - kQuantizedScaleBytes;
}

}  // namespace

float quantized_scale(const Tensor& quantized, std::int64_t row) {
  float scale = 0.0f;
  std::memcpy(&scale, scale_bytes(quantized, row), sizeof scale);
  return scale;
}

void set_quantized_scale(const Tensor& quantized, std::int64_t row, float scale) {
  std::memcpy(scale_bytes(quantized, row), &scale, sizeof scale);
}

Tensor quantize_weights(const Tensor& weights) {
  if (weights.shape().rank() != 2)
    throw ShapeError(fmt::format("[quantize_weights] expected weights [O, I], got {}",
                                 to_string(weights.shape())));
  const Tensor quantized =
      Tensor::empty({weights.rows(), weights.cols() + kQuantizedScaleBytes}, DType::i8);
  for (std::int64_t row = 0; row < weights.rows(); ++row) {
    const float* from = weights.row(row);
    float largest = 0.0f;
    for (std::int64_t i = 0; i < weights.cols(); ++i) {
      if (!std::isfinite(from[i]))
        throw DataError(fmt::format("row {}: expected finite weights, found {}", row, from[i]));
      largest = std::max(largest, std::fabs(from[i]));
    }
    const bool vanishes = largest <= kVanishing;
    const float inverse = vanishes ? 0.0f : kLargest / largest;
    std::int8_t* to = quantized.row<std::int8_t>(row);
    for (std::int64_t i = 0; i < weights.cols(); ++i)
      to[i] = static_cast<std::int8_t>(
          std::clamp(std::nearbyint(from[i] * inverse), -kLargest, kLargest));
    set_quantized_scale(quantized, row, vanishes ? 0.0f : largest / kLargest);
  }
  return quantized;
}

Tensor dequantize_weights(const Tensor& quantized) {
  const std::int64_t columns = weight_columns(quantized);
  const Tensor weights = Tensor::empty({quantized.rows(), columns});
  for (std::int64_t row = 0; row < quantized.rows(); ++row) {
    const float scale = quantized_scale(quantized, row);
    const std::int8_t* from = quantized.row<std::int8_t>(row);
    float* to = weights.row(row);
    for (std::int64_t i = 0; i < columns; ++i) to[i] = scale * static_cast<float>(from[i]);
  }
  return weights;
}

}  // namespace attend
