#include "attend/nn/gru.h"

#include <vector>

#include "attend/ops/gru.h"
#include "attend/ops/linear.h"
#include "attend/ops/slices.h"

namespace attend {

Gru::Gru(ParameterSet& parameters, const std::string& path, std::int64_t in, std::int64_t hidden)
    : hidden_(hidden) {
  // Initialize every gate like a separate matrix.
  const Init xavier{Init::Kind::xavier_uniform, 1.0f, hidden};
  weight_ih_ = parameters.add_weights(path + ".weight_ih", {3 * hidden, in}, xavier);
  weight_hh_ = parameters.add_weights(path + ".weight_hh", {3 * hidden, hidden}, xavier);
  bias_ih_ = parameters.add(path + ".bias_ih", {3 * hidden}, {});
  bias_hh_ = parameters.add(path + ".bias_hh", {3 * hidden}, {});
}

Variable Gru::project_input(const Variable& x, const Pass& pass) const {
  return linear(x, *weight_ih_, *bias_ih_, {.precision = pass.precision()});
}

Variable Gru::step(const Variable& projected, const Variable& state, const Pass& pass) const {
  return gru_cell(projected, linear(state, *weight_hh_, *bias_hh_, {.precision = pass.precision()}),
                  state);
}

Variable Gru::forward(const Variable& x, const TimeSteps& steps, const Pass& pass) const {
  const Variable projected = project_input(gather_rows(x, steps.order()), pass);
  if (steps.steps() == 0) return Variable(Tensor::zeros({0, hidden_}));
  Variable state(Tensor::zeros({steps.rows(0), hidden_}));
  std::vector<Variable> states;
  for (std::int64_t t = 0; t < steps.steps(); ++t) {
    state = step(slice_rows(projected, steps.begin(t), steps.begin(t + 1)),
                 slice_rows(state, 0, steps.rows(t)), pass);
    states.push_back(state);
  }
  return gather_rows(concat_rows(states), steps.inverse());
}

BidirectionalGru::BidirectionalGru(ParameterSet& parameters, const std::string& path,
                                   std::int64_t in, std::int64_t hidden)
    : forward_(parameters, path + ".forward", in, hidden),
      backward_(parameters, path + ".backward", in, hidden) {}

Variable BidirectionalGru::forward(const Variable& x, std::span<const std::int32_t> offsets,
                                   const Pass& pass) const {
  return concat_columns(forward_.forward(x, TimeSteps(offsets, TimeDirection::forward), pass),
                        backward_.forward(x, TimeSteps(offsets, TimeDirection::backward), pass));
}

}  // namespace attend
