#pragma once

#include "attend/autograd/variable.h"
#include "attend/backend/backend.h"

namespace attend {

// Layer normalization over the last dimension (Ba et al. 2016): gamma (x - mean) / sqrt(variance +
// epsilon) + beta. Without beta it is RMS normalization (Zhang & Sennrich 2019): gamma x /
// sqrt(mean of x^2 + epsilon).
struct LayerNormParameters {
  Variable gamma;  // [D]
  Variable beta;   // [D], or undefined
  float epsilon = 1e-5f;
};

// x [N, D] -> [N, D]. Throws ShapeError.
Variable layer_norm(const Variable& x, const LayerNormParameters& parameters);

// layer_norm(x + dropout(branch)) in one pass over memory: the post-norm sublayer connection
// (Vaswani et al. 2017, section 5.4). x, branch [N, D] -> [N, D]. Throws ShapeError, and
// ConfigError for a probability outside [0, 1).
Variable residual_layer_norm(const Variable& x, const Variable& branch, const Dropout& dropout,
                             const LayerNormParameters& parameters);

}  // namespace attend
