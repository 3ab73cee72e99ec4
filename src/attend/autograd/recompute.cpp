#include "attend/autograd/recompute.h"

#include <algorithm>
#include <utility>

namespace attend {

namespace {

std::vector<Tensor> values_of(const std::vector<Variable>& inputs) {
  std::vector<Tensor> values;
  for (const Variable& input : inputs) values.push_back(input.value());
  return values;
}

std::vector<GradientSink> sinks_of(const std::vector<Variable>& inputs) {
  std::vector<GradientSink> sinks;
  for (const Variable& input : inputs) sinks.push_back(input.sink());
  return sinks;
}

// An input of the second call. What it adds to a gradient that is there already is added in the
// order in which the function itself would.
Variable leaf(const Tensor& value, const GradientSink& sink) {
  if (!sink.needed()) return Variable(value);
  return sink.empty() ? Variable(value, true) : Variable(value, sink.target().buffer);
}

}  // namespace

Variable recomputed(const std::vector<Variable>& inputs,
                    const std::function<Variable(const std::vector<Variable>&)>& function) {
  Tensor value;
  bool wanted = std::any_of(inputs.begin(), inputs.end(),
                            [](const Variable& input) { return input.requires_gradient(); });
  {
    const NoGradient guard;
    std::vector<Variable> constants;
    for (const Variable& input : inputs) constants.emplace_back(input.value());
    value = function(constants).value();
    wanted = wanted || guard.missed();
  }
  if (!wanted) return Variable(value);
  std::vector<Variable> recorded = inputs;
  recorded.emplace_back(Tensor::empty({0}), true);  // leaves alone may require the gradient
  return record(value, recorded,
                [function, values = values_of(inputs), sinks = sinks_of(inputs)](const Tensor& dy) {
                  std::vector<Variable> leaves;
                  std::vector<bool> fresh;
                  for (std::size_t i = 0; i < values.size(); ++i) {
                    fresh.push_back(sinks[i].needed() && sinks[i].empty());
                    leaves.push_back(leaf(values[i], sinks[i]));
                  }
                  backward(function(leaves), dy);
                  for (std::size_t i = 0; i < values.size(); ++i)
                    if (fresh[i] && leaves[i].gradient().defined())
                      sinks[i].add(leaves[i].gradient());
                });
}

}  // namespace attend
