// Arguments of the kernels that work row by row. Strides are in floats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "attend/backend/backend.h"

namespace attend {

struct NormRows {
  std::size_t columns = 0;
  const float* x = nullptr;
  std::size_t x_stride = 0;
  const float* branch = nullptr;  // residual_layer_norm only, as is sum
  std::size_t branch_stride = 0;
  float* sum = nullptr;
  std::size_t sum_stride = 0;
  const float* gamma = nullptr;
  const float* beta = nullptr;  // null: RMS normalization
  float epsilon = 0.0f;
  float* y = nullptr;
  std::size_t y_stride = 0;
  float* mean = nullptr;  // null: not wanted
  float* rstd = nullptr;
};

struct NormGradientRows {
  std::size_t columns = 0;
  const float* x = nullptr;
  std::size_t x_stride = 0;
  const float* gamma = nullptr;
  const float* mean = nullptr;
  const float* rstd = nullptr;
  const float* dy = nullptr;
  std::size_t dy_stride = 0;
  float* dx = nullptr;
  std::size_t dx_stride = 0;
};

struct DropoutRows {
  std::size_t columns = 0;
  const float* x = nullptr;
  std::size_t x_stride = 0;
  float* y = nullptr;
  std::size_t y_stride = 0;
};

// y[n] = dropout(scale * table[ids[n]] + positions[position[n]])
struct EmbedRows {
  std::size_t columns = 0;
  const float* table = nullptr;
  std::size_t table_stride = 0;
  const std::int32_t* ids = nullptr;
  float scale = 1.0f;
  const float* positions = nullptr;  // null: none
  std::size_t positions_stride = 0;
  const std::int32_t* position = nullptr;
  float* y = nullptr;
  std::size_t y_stride = 0;
};

// The state of a row of logits seen in part: the best elements, the largest logit, and the sum of
// exp(logit - max) (Milakov & Gimelshein 2018).
struct RowChoice {
  float* values = nullptr;  // the `size` best of the k wanted, largest first
  std::int32_t* indices = nullptr;
  std::size_t k = 0;
  std::size_t size = 0;
  float max = -std::numeric_limits<float>::infinity();
  float sum = 0.0f;
};
// Logits are processed in segments of this many.
constexpr std::size_t kLogitSegment = 1024;

// A step of Adam, with 1 / (1 - beta1^step) and 1 / (1 - beta2^step).
struct AdamRun {
  AdamStep step;
  float gradient_scale = 1.0f;
  float correction1 = 1.0f, correction2 = 1.0f;
};

}  // namespace attend
