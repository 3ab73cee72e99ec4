#pragma once

#include <vector>

#include "attend/ops/losses/cross_entropy.h"

namespace attend {

// Cross-entropy with the output of another model as soft targets (Hinton et al. 2015). With P =
// softmax(logits[n]) and Q = softmax(teacher[n]), the loss of a target is
//   (1 - weight) cross_entropy + weight KL(Q || P).
// logits, teacher [N, V], N targets; nll is that of the targets. Throws like cross_entropy();
// ConfigError for a weight outside [0, 1].
CrossEntropy distilled_cross_entropy(const Variable& logits, const Tensor& teacher,
                                     const Ids& targets, float weight,
                                     const CrossEntropyOptions& options = {});

// The same of two predictions with different dropout, as R-Drop has them (Liang et al. 2021): the
// mean of both losses plus divergence/4 (KL(P || Q) + KL(Q || P)), with P = softmax(logits[n]) and
// Q = softmax(logits[N+n]). logits [2N, V], teacher [N, V]; nll is that of the first. Throws
// ConfigError for a divergence below 0, too.
CrossEntropy paired_distilled_cross_entropy(const Variable& logits, const Tensor& teacher,
                                            const Ids& targets, float weight, float divergence,
                                            const CrossEntropyOptions& options = {});

// Cross-entropy with a distribution as the target of each row: -sum_v targets[n, v] log P[v], P =
// softmax(logits[n]). logits and targets [N, V]; the normalizer (0: N) divides the sum. Throws
// ShapeError unless both have equal shapes.
CrossEntropy soft_cross_entropy(const Variable& logits, const Tensor& targets,
                                double normalizer = 0.0);

// Logits [N, V] of a distribution: the mean of those of these logits [N, V], which are lost. At
// least one.
Tensor mean_of_teachers(std::vector<Tensor> logits);

}  // namespace attend
