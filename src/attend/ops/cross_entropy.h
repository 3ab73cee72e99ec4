#pragma once

#include "attend/autograd/variable.h"
#include "attend/backend/precision.h"
#include "attend/ops/embedding.h"

namespace attend {

struct CrossEntropyOptions {
  float label_smoothing = 0.0f;  // s: the target distribution is (1-s) on the target and s/V on
                                 // every entry (Szegedy et al. 2016)
  double normalizer = 0.0;       // the summed losses are divided by this; 0: the number of targets
  // [V], or undefined: what the loss of a target of each class is multiplied by. Of cross_entropy()
  // only, where classes are few.
  Tensor class_weights = {};
  Precision precision = Precision::f32;  // of the products of the loss and of its gradient
};

struct CrossEntropy {
  Variable loss;          // [1]: the sum of the smoothed losses / normalizer
  DeviceScalar loss_sum;  // the same, not divided
  DeviceScalar nll;  // sum of -log p[target], natural logarithm: perplexity is exp(nll / targets)
};

// logits [N, V], N targets; nll is without weights. Throws ShapeError, and for a target outside the
// classes too; ConfigError for a smoothing outside [0, 1].
CrossEntropy cross_entropy(const Variable& logits, const Ids& targets,
                           const CrossEntropyOptions& options = {});

// cross_entropy(linear(x, weight, bias), targets) without ever holding all logits: projection,
// softmax, loss and their gradients go chunk of rows by chunk of rows. x [N, D], weight [V, D],
// bias [V] or undefined. Throws as cross_entropy does.
CrossEntropy projected_cross_entropy(const Variable& x, const Variable& weight,
                                     const Variable& bias, const Ids& targets,
                                     const CrossEntropyOptions& options = {});

// The loss of two predictions of the same N targets, made with different dropout and held to agree
// (R-Drop, Liang et al. 2021): with P = softmax(x[n] weight^T) and Q = softmax(x[N+n] weight^T),
// the mean of the two cross-entropies and divergence/4 (KL(P || Q) + KL(Q || P)). Chunk by chunk,
// too; loss_sum and nll are over the N targets. x [2N, D], weight [V, D]. Throws as cross_entropy
// does; ConfigError for a divergence below 0.
CrossEntropy paired_cross_entropy(const Variable& x, const Variable& weight, const Ids& targets,
                                  float divergence, const CrossEntropyOptions& options = {});

// log softmax(x weight^T)[targets], row by row, without holding all logits. x [N, D], weight [V,
// D], N targets. No gradients. Throws ShapeError.
std::vector<float> target_log_probabilities(const Tensor& x, const Tensor& weight,
                                            std::span<const std::int32_t> targets);

}  // namespace attend
