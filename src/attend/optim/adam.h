// Adam (Kingma & Ba 2015), with decoupled weight decay (Loshchilov & Hutter 2019) and clipping by the norm of the whole gradient.
#pragma once

#include <cstdint>

#include "attend/nn/parameters.h"

namespace attend {

struct AdamOptions {
  float beta1 = 0.9f;
  float beta2 = 0.98f;
  float epsilon = 1e-9f;
  float weight_decay = 0.0f;
  float clip_norm = 0.0f;  // 0: do not clip
};

template <class Visitor>
void fields(AdamOptions& o, Visitor&& visit) {
  visit("adam-beta1", o.beta1, "decay of Adam's mean of the gradient");
  visit("adam-beta2", o.beta2, "decay of Adam's mean of the squared gradient");
  visit("adam-epsilon", o.epsilon, "added to the root of the latter");
  visit("weight-decay", o.weight_decay, "decoupled weight decay (AdamW)");
  visit("clip-norm", o.clip_norm, "the gradient is scaled down to this norm when longer; 0: never");
}

class Adam {
 public:
  // `parameters` (allocated, trainable) must outlive the optimiser. Throws ConfigError.
  Adam(ParameterSet& parameters, const AdamOptions& options);

  // One update from the gradients in the set. Returns the norm of the gradient before clipping.
  double step(float learning_rate);

  // The state, for checkpoints: moments [P] and the number of updates made.
  const Tensor& mean() const { return mean_; }
  const Tensor& variance() const { return variance_; }
  std::int64_t steps() const { return steps_; }
  void set_steps(std::int64_t steps) { steps_ = steps; }

 private:
  ParameterSet& parameters_;
  AdamOptions options_;
  Tensor mean_;
  Tensor variance_;
  std::int64_t steps_ = 0;
};

// An exponential moving average of the parameters: shadow = decay shadow + (1 - decay) parameters, with decay = min(limit, (1+n)/(10+n)) at
// update n so that the beginning is soon forgotten.
class MovingAverage {
 public:
  MovingAverage(const ParameterSet& parameters, float decay);
  void update(std::int64_t step);
  const Tensor& values() const { return values_; }  // [P]

 private:
  const ParameterSet& parameters_;
  float decay_;
  Tensor values_;
};

}  // namespace attend
