#include "attend/optim/adam.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attend/backend/backend.h"
#include "attend/core/error.h"
#include "attend/core/option_check.h"

namespace attend {

namespace {

void fraction(float value, const char* name) {
  if (!(value >= 0.0f && value < 1.0f)) throw ConfigError(fmt::format("{}: expected a number in [0, 1), got {}", name, value));
}

}  // namespace

Adam::Adam(ParameterSet& parameters, const AdamOptions& options)
    : parameters_(parameters), options_(options), mean_(Tensor::zeros({parameters.size()})), variance_(Tensor::zeros({parameters.size()})) {
  fraction(options.beta1, "adam-beta1");
  fraction(options.beta2, "adam-beta2");
  if (!(options.epsilon > 0.0f)) throw ConfigError(fmt::format("adam-epsilon: expected a positive number, got {}", options.epsilon));
  require_at_least("weight-decay", options.weight_decay, 0);
  require_at_least("clip-norm", options.clip_norm, 0);
}

double Adam::step(float learning_rate) {
  const double norm = std::sqrt(backend().sum_of_squares(parameters_.gradients()));
  AdamStep step;
  step.learning_rate = learning_rate;
  step.beta1 = options_.beta1;
  step.beta2 = options_.beta2;
  step.epsilon = options_.epsilon;
  step.weight_decay = options_.weight_decay;
  step.gradient_scale = options_.clip_norm > 0.0f && norm > options_.clip_norm ? static_cast<float>(options_.clip_norm / norm) : 1.0f;
  step.step = ++steps_;
  backend().adam(step, parameters_.gradients(), parameters_.values(), mean_, variance_);
  return norm;
}

MovingAverage::MovingAverage(const ParameterSet& parameters, float decay)
    : parameters_(parameters), decay_(decay), values_(parameters.values().clone()) {
  fraction(decay, "ema-decay");
}

void MovingAverage::update(std::int64_t step) {
  const auto n = static_cast<float>(step);
  const float decay = std::min(decay_, (1.0f + n) / (10.0f + n));
  backend().axpby(1.0f - decay, parameters_.values(), decay, values_);
}

}  // namespace attend
