#pragma once

#include <vector>

#include "attend/ops/cross_entropy.h"

namespace attend {

// Classes that stand for all of them in the normalizer of a softmax.
struct ClassSample {
  Ids classes;  // S, without repetition
  std::vector<float>
      offset;  // S: -log of the probability with which each was drawn; 0: it always is
};

// Cross-entropy with an estimate of the normalizer over V classes from S of them (importance
// sampling; Bengio & Senecal 2003, Jean et al. 2015), with the target t itself always exact:
//
//   loss[n] = -x.w[t] + log(exp(x.w[t]) + sum over sampled v other than t of exp(x.w[v] +
//   offset[v]))
//
// The sum is that over all other classes in expectation. When every class is in the sample with
// offset 0 this is the cross-entropy itself. Otherwise it is for training only: `nll` is an
// estimate and no likelihood. x [N, D], weight [V, D], N targets; products, softmax and gradients
// go chunk of rows by chunk of rows. Throws ShapeError, also for classes and targets outside
// 0..V-1; ConfigError for a label smoothing, which has no such estimate.
CrossEntropy sampled_cross_entropy(const Variable& x, const Variable& weight,
                                   const ClassSample& sample, const Ids& targets,
                                   const CrossEntropyOptions& options = {});

}  // namespace attend
