#pragma once

#include <vector>

#include "attend/ops/losses/cross_entropy.h"

namespace attend {

// A sample of classes that estimates the normalizer of a softmax.
struct ClassSample {
  Ids classes;  // S distinct classes
  // S: -log of each class's probability of being drawn; 0: always included.
  std::vector<float> offset;
};

// Sampled softmax: cross-entropy with the normalizer over V classes estimated from S of them
// (importance sampling; Bengio & Senecal 2003, Jean et al. 2015). The target t is always exact:
//
//   loss[n] = -x.w[t] + log(exp(x.w[t]) + sum over sampled v other than t of
//                           exp(x.w[v] + offset[v]))
//
// In expectation the sum is that over all other classes. If the sample holds every class with
// offset 0, the result is the exact cross-entropy. Otherwise it is for training only: `nll` is an
// estimate, not a likelihood. x [N, D], weight [V, D], N targets; computed in blocks of rows.
// Throws ShapeError, also for classes and targets outside 0..V-1; ConfigError with label smoothing,
// which has no such estimate.
CrossEntropy sampled_cross_entropy(const Variable& x, const Variable& weight,
                                   const ClassSample& sample, const Ids& targets,
                                   const CrossEntropyOptions& options = {});

}  // namespace attend
