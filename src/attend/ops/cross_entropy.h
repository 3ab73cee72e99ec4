#pragma once

#include "attend/autograd/variable.h"
#include "attend/backend/precision.h"
#include "attend/ops/embedding.h"
#include "attend/ops/linear.h"

namespace attend {

struct CrossEntropyOptions {
  float label_smoothing = 0.0f;  // s: the target distribution is (1-s) on the target plus s/V on
                                 // every class (Szegedy et al. 2016)
  double normalizer = 0.0;       // divides the summed losses; 0: the number of targets
  // [V], or undefined: a factor of the loss for targets of each class. For cross_entropy() only,
  // where classes are few.
  Tensor class_weights = {};
  Precision precision = Precision::f32;  // of the GEMMs of the loss and its gradient
};

struct CrossEntropy {
  Variable loss;          // [1]: the sum of the smoothed losses / normalizer
  DeviceScalar loss_sum;  // the same without division
  DeviceScalar nll;  // sum of -log p[target], natural logarithm: perplexity is exp(nll / targets)
};

// logits [N, V], N targets; nll ignores class weights. Throws ShapeError, also for a target outside
// the classes; ConfigError for a smoothing outside [0, 1].
CrossEntropy cross_entropy(const Variable& logits, const Ids& targets,
                           const CrossEntropyOptions& options = {});

// cross_entropy(output(x), targets) without ever holding all logits: projection, softmax, loss and
// their gradients go chunk of rows by chunk of rows. x [N, D], output D -> V. Throws as
// cross_entropy does.
CrossEntropy projected_cross_entropy(const Variable& x, const AffineMap& output, const Ids& targets,
                                     const CrossEntropyOptions& options = {});

// The loss of two predictions of the same N targets, made with different dropout and held to agree
// (R-Drop, Liang et al. 2021): with P = softmax(output(x[n])) and Q = softmax(output(x[N+n])), the
// mean of the two cross-entropies and divergence/4 (KL(P || Q) + KL(Q || P)). Chunk by chunk,
// too; loss_sum and nll are over the N targets. x [2N, D], output D -> V. Throws as cross_entropy
// does; ConfigError for a divergence below 0.
CrossEntropy paired_cross_entropy(const Variable& x, const AffineMap& output, const Ids& targets,
                                  float divergence, const CrossEntropyOptions& options = {});

// log softmax(x W^T + b)[targets], row by row, without holding all logits. x [N, D], W [V, D], N
// targets. No gradients. Throws ShapeError.
std::vector<float> target_log_probabilities(const Tensor& x, const OutputProjection& output,
                                            std::span<const std::int32_t> targets);

}  // namespace attend
