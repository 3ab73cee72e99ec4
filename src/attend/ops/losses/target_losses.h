// Losses of outputs that are numbers of their own, not the classes of one distribution.
#pragma once

#include <span>

#include "attend/ops/losses/cross_entropy.h"

namespace attend {

// Each output is the logit of a label that a text has or has not:
//   -y log sigmoid(x) - (1 - y) log sigmoid(-x), smoothed like the cross-entropy of two classes.
// x [N, C]; targets [N C], each from 0 to 1, row by row. The loss of a row is the mean over its
// columns; the normalizer (default N) divides the sum of the rows. Throws like cross_entropy();
// ConfigError for the smoothing of targets between 0 and 1, which are soft already.
CrossEntropy binary_cross_entropy(const Variable& logits, std::span<const float> targets,
                                  const CrossEntropyOptions& options = {});

struct SquaredError {
  Variable loss;          // [1]: the sum of the squares / normalizer
  DeviceScalar loss_sum;  // the same without division
};

// (x - y)^2 of x [N, 1] and targets y [N, 1], which get no gradient. The normalizer 0 stands for N.
// Throws ShapeError unless both have equal shapes.
SquaredError squared_error(const Variable& x, const Tensor& targets, double normalizer = 0.0);

}  // namespace attend
