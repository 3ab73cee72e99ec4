#pragma once

#include "attend/autograd/variable.h"
#include "attend/backend/precision.h"
#include "attend/ops/embedding.h"
#include "attend/ops/linear.h"
#include "attend/ops/losses/soft_targets.h"

namespace attend {

struct CrossEntropyOptions {
  float label_smoothing = 0.0f;  // s: the target distribution is (1-s) on the target plus s/V on
                                 // every class (Szegedy et al. 2016)
  double normalizer = 0.0;       // divides the summed losses; 0: the number of targets
  // [V], or undefined: a factor of the loss for targets of each class. For cross_entropy() only,
  // where classes are few.
  Tensor class_weights = {};
  Precision precision = Precision::f32;  // of the GEMMs of the loss and its gradient
  // For projected_cross_entropy() only: a logit l becomes cap tanh(l / cap); 0: it stays as it is.
  float logit_cap = 0.0f;
  SoftTargets soft = {};  // for projected_cross_entropy() and paired_cross_entropy() only
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

// cross_entropy(output(x), targets) without storing all logits: projection, softmax, loss and
// gradients are computed in blocks of rows. x [N, D], output D -> V. Throws like cross_entropy.
CrossEntropy projected_cross_entropy(const Variable& x, const AffineMap& output, const Ids& targets,
                                     const CrossEntropyOptions& options = {});

// R-Drop (Liang et al. 2021): the loss of two predictions of the same N targets with different
// dropout. With P = softmax(output(x[n])) and Q = softmax(output(x[N+n])), it is the mean of both
// cross-entropies plus divergence/4 (KL(P || Q) + KL(Q || P)). Also in blocks of rows; loss_sum and
// nll cover the N targets. x [2N, D], output D -> V. Throws like cross_entropy; ConfigError for a
// divergence below 0.
CrossEntropy paired_cross_entropy(const Variable& x, const AffineMap& output, const Ids& targets,
                                  float divergence, const CrossEntropyOptions& options = {});

// log softmax(x W^T + b)[targets] per row, without storing all logits. x [N, D], W [V, D], N
// targets; logit_cap as above. No gradients. Throws ShapeError.
std::vector<float> target_log_probabilities(const Tensor& x, const OutputProjection& output,
                                            std::span<const std::int32_t> targets,
                                            float logit_cap = 0.0f);

}  // namespace attend
