#include "attend/optim/adam.h"

#include "attend/backend/backend.h"
#include "attend/core/options/option_fields.h"
#include "attend/error.h"

namespace attend {

DeviceScalar clipping(const AdamOptions& options, const DeviceScalar& squares) {
  return options.clip_norm > 0.0f ? backend()->clip_to_norm(squares, options.clip_norm)
                                  : DeviceScalar(1.0);
}

Adam::Adam(ParameterSet& parameters, const AdamOptions& options)
    : Adam(parameters, options, parameter_groups(parameters)) {}

Adam::Adam(ParameterSet& parameters, const AdamOptions& options, std::vector<ParameterGroup> groups)
    : parameters_(parameters), options_(options), groups_(std::move(groups)) {
  check_options(options);
  std::int64_t size = 0;
  for (const ParameterGroup& group : groups_) size += group.range.end - group.range.begin;
  mean_ = Tensor::zeros({size});
  variance_ = Tensor::zeros({size});
}

DeviceScalar Adam::step(float learning_rate) {
  const DeviceScalar squares = backend()->sum_of_squares(parameters_.gradients());
  update(learning_rate, clipping(options_, squares));
  return squares;
}

void Adam::update(float learning_rate, const DeviceScalar& gradient_scale) {
  AdamStep step;
  step.beta1 = options_.beta1;
  step.beta2 = options_.beta2;
  step.epsilon = options_.epsilon;
  step.weight_decay = options_.weight_decay;
  step.step = ++steps_;
  std::int64_t at = 0;
  for (const auto& [range, factor] : groups_) {
    const std::int64_t next = at + range.end - range.begin;
    step.learning_rate = learning_rate * factor;
    backend()->adam(step, gradient_scale, parameters_.gradients(range),
                    parameters_.values().slice_rows(range.begin, range.end),
                    mean_.slice_rows(at, next), variance_.slice_rows(at, next));
    at = next;
  }
}

}  // namespace attend
