// Adam (Kingma & Ba 2015) with decoupled weight decay (Loshchilov & Hutter 2019) and clipping by
// the global gradient norm.
#pragma once

#include <cstdint>
#include <vector>

#include "attend/core/options/options.h"
#include "attend/optim/optimizer.h"
#include "attend/optim/parameter_groups.h"

namespace attend {

struct AdamOptions {
  float beta1 = 0.9f;
  float beta2 = 0.98f;
  float epsilon = 1e-9f;
  float weight_decay = 0.0f;
  float clip_norm = 0.0f;
};

template <class Visitor>
void fields(AdamOptions& o, Visitor&& visit) {
  visit("adam-beta1", o.beta1, below_one(), "decay of Adam's mean of the gradient");
  visit("adam-beta2", o.beta2, below_one(), "decay of Adam's mean of the squared gradient");
  visit("adam-epsilon", o.epsilon, above(0, 1), "epsilon in Adam's denominator");
  visit("weight-decay", o.weight_decay, between(0, 1000), "decoupled weight decay (AdamW)");
  visit("clip-norm", o.clip_norm, between(0, 1e9),
        "largest gradient norm; larger gradients are scaled down; 0: no clipping");
}

// Adam's parameters are shared out in units of a cache line of moments and more.
inline constexpr std::int64_t kAdamUnit = 64;

class Adam final : public Optimizer {
 public:
  // `parameters` (allocated, trainable) must outlive the optimizer. Throws ConfigError.
  Adam(ParameterSet& parameters, const AdamOptions& options);
  // Updates only some of the parameters, all of which are trained.
  Adam(ParameterSet& parameters, const AdamOptions& options, std::vector<ParameterGroup> groups);

  DeviceScalar step(float learning_rate) override;
  // The same with the gradient multiplied by `gradient_scale`.
  void update(float learning_rate, const DeviceScalar& gradient_scale);

  std::vector<ParameterRange> updated() const override { return ranges_of(groups_); }
  std::vector<std::pair<std::string_view, Tensor>> state() const override {
    return {{"adam.mean", mean_}, {"adam.variance", variance_}};
  }
  std::int64_t steps() const override { return steps_; }
  void set_steps(std::int64_t steps) override { steps_ = steps; }

  // The moments, concatenated over the groups.
  const Tensor& mean() const { return mean_; }
  const Tensor& variance() const { return variance_; }

 private:
  ParameterSet& parameters_;
  AdamOptions options_;
  std::vector<ParameterGroup> groups_;
  Tensor mean_;
  Tensor variance_;
  std::int64_t steps_ = 0;
};

// The clipping factor for a gradient with this sum of squares.
DeviceScalar clipping(const AdamOptions& options, const DeviceScalar& squares);

}  // namespace attend
