#include "attend/models/stack/residual_stream.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "attend/backend/weights.h"

namespace attend {

namespace {

std::vector<double> doubles_of(const Variable& vector) {
  if (!vector.defined()) return {};
  const std::vector<float> values = vector.value().to_vector();
  return {values.begin(), values.end()};
}

std::vector<double> row_of(const Tensor& matrix, std::int64_t row) {
  return {matrix.row(row), matrix.row(row) + matrix.cols()};
}

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double mean_of(std::span<const double> x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

// W^T x of a matrix [rows, columns].
std::vector<double> transposed_product(const Tensor& matrix, std::span<const double> x) {
  std::vector<double> y(static_cast<std::size_t>(matrix.cols()));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float* const row = matrix.row(static_cast<std::int64_t>(i));
    for (std::size_t j = 0; j < y.size(); ++j) y[j] += x[i] * double{row[j]};
  }
  return y;
}

// "decoder.layers.3" of "decoder.layers.3.self_attn"; empty for what is in no layer.
std::string_view layer_of(std::string_view module, std::string_view stack) {
  const std::string_view layers = ".layers.";
  if (!module.substr(stack.size()).starts_with(layers)) return {};
  return module.substr(0, module.find('.', stack.size() + layers.size()));
}

}  // namespace

ResidualStream::Normalization ResidualStream::Normalization::of(const LayerNormParameters& norm) {
  return {doubles_of(norm.gamma), doubles_of(norm.beta), double{norm.epsilon}};
}

bool ResidualStream::Normalization::is_shifted() const {
  return std::any_of(shift.begin(), shift.end(), [](double value) { return value != 0; });
}

double ResidualStream::Normalization::denominator(const Vector& x) const {
  const double mean = is_centered() ? mean_of(x) : 0.0;
  double squares = 0;
  for (const double value : x) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(x.size()) + epsilon);
}

ResidualStream::Vector ResidualStream::Normalization::output_for(Vector x) const {
  const double divisor = denominator(x), mean = is_centered() ? mean_of(x) : 0.0;
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = gain[i] * (x[i] - mean) / divisor + (is_centered() ? shift[i] : 0.0);
  return x;
}

ResidualStream::Vector ResidualStream::Normalization::pull_back(Vector direction,
                                                                const Vector& x) const {
  const double divisor = denominator(x);
  for (std::size_t i = 0; i < direction.size(); ++i) direction[i] *= gain[i] / divisor;
  if (is_centered()) {
    const double mean = mean_of(direction);
    for (double& value : direction) value -= mean;
  }
  return direction;
}

ResidualStream::Step ResidualStream::Step::of(const ResidualStep& step, std::string_view stack) {
  Step own;
  own.module = step.module == stack ? "embedding" : step.module;
  own.factor = step.factor;
  own.branch_factor = step.branch_factor;
  if (step.added.defined()) own.added = step.added.to_host();
  if (step.heads) {
    own.n_heads = step.heads->n_heads;
    own.head_values = step.heads->values.to_host();
    const Tensor& weights = step.heads->projection.weight.value();
    own.rounds = is_quantized(weights);
    own.projection = backend()->float_weights(weights).to_host();
    own.bias = doubles_of(step.heads->projection.bias);
  }
  if (step.branch_norm) {
    own.branch_norm = Normalization::of(step.branch_norm->norm);
    own.branch_norm_module = step.branch_norm->module;
  }
  if (step.norm) own.norm = Normalization::of(*step.norm);
  return own;
}

std::vector<double> ResidualStream::before_norm(const LayerNormParameters& norm,
                                                std::vector<double> direction,
                                                const std::vector<float>& x) {
  return Normalization::of(norm).pull_back(std::move(direction), {x.begin(), x.end()});
}

ResidualStream::Vector ResidualStream::Step::addition(std::int64_t row) const {
  Vector x = row_of(added, row);
  if (branch_norm.defined()) x = branch_norm.output_for(std::move(x));
  for (double& value : x) value *= branch_factor;
  return x;
}

ResidualStream::Vector ResidualStream::Step::output_for(Vector x, std::int64_t row) const {
  if (added.defined()) {
    const Vector more = addition(row);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += more[i];
  }
  if (norm.defined()) x = norm.output_for(std::move(x));
  for (double& value : x) value *= factor;
  return x;
}

ResidualStream::Vector ResidualStream::Step::pull_back(Vector direction, const Vector& x) const {
  for (double& value : direction) value *= factor;
  return norm.defined() ? norm.pull_back(std::move(direction), x) : direction;
}

void ResidualStream::Step::add_parts(std::int64_t row, const Vector& direction,
                                     std::vector<LogitPart>& parts) const {
  const auto add = [&](std::string name, int head, double value) {
    parts.push_back({std::move(name), head, static_cast<float>(value)});
    return value;
  };
  if (norm.is_shifted()) add(module + ".bias", -1, dot(direction, norm.shift));
  if (!added.defined()) return;
  const Vector branch = row_of(added, row);
  Vector of_factor = direction;
  for (double& value : of_factor) value *= branch_factor;
  const Vector of_branch =
      branch_norm.defined() ? branch_norm.pull_back(of_factor, branch) : of_factor;
  const double all = dot(of_branch, branch);
  double explained = 0;
  if (n_heads > 0) {
    const Vector values = row_of(head_values, row),
                 weights = transposed_product(projection, of_branch);
    const std::size_t width = values.size() / static_cast<std::size_t>(n_heads);
    for (std::size_t head = 0; head < static_cast<std::size_t>(n_heads); ++head)
      explained += add(module, static_cast<int>(head),
                       dot(std::span(values).subspan(head * width, width),
                           std::span(weights).subspan(head * width, width)));
  } else {
    add(module, -1, all);
  }
  if (!bias.empty()) explained += add(module + ".bias", -1, dot(of_branch, bias));
  if (rounds) add(module + ".rounding", -1, all - explained);
  if (branch_norm.is_shifted())
    add(branch_norm_module + ".bias", -1, dot(of_factor, branch_norm.shift));
}

ResidualStream::ResidualStream(std::span<const ResidualStep> steps, std::string stack)
    : stack_(std::move(stack)) {
  for (const ResidualStep& step : steps)
    if (step.module == stack_ || step.module.starts_with(stack_ + "."))
      steps_.push_back(Step::of(step, stack_));
}

std::vector<ResidualStream::Vector> ResidualStream::states(std::int64_t row) const {
  std::vector<Vector> states{Vector(static_cast<std::size_t>(width()))};
  for (const Step& step : steps_) states.push_back(step.output_for(states.back(), row));
  return states;
}

std::vector<LogitPart> ResidualStream::parts(std::int64_t row,
                                             std::span<const double> direction) const {
  const std::vector<Vector> before = states(row);
  std::vector<std::vector<LogitPart>> of_step(steps_.size());
  Vector remaining(direction.begin(), direction.end());
  for (std::size_t i = steps_.size(); i-- > 0;) {
    // A scaled or normalized sum has no addition of its own: the order of the two does not matter.
    const Vector behind = remaining;
    remaining = steps_[i].pull_back(std::move(remaining), before[i]);
    steps_[i].add_parts(row, steps_[i].norm.defined() ? behind : remaining, of_step[i]);
  }
  std::vector<LogitPart> parts;
  for (std::vector<LogitPart>& some : of_step)
    std::move(some.begin(), some.end(), std::back_inserter(parts));
  return parts;
}

std::vector<ResidualAddition> ResidualStream::additions(std::int64_t row) const {
  const std::vector<Vector> before = states(row);
  std::vector<ResidualAddition> additions;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (!steps_[i].added.defined()) continue;
    const Vector added = steps_[i].addition(row);
    const double length = std::sqrt(dot(added, added)),
                 lengths = length * std::sqrt(dot(before[i], before[i]));
    additions.push_back({steps_[i].module, static_cast<float>(length),
                         lengths > 0 ? static_cast<float>(dot(added, before[i]) / lengths) : 0.0f});
  }
  return additions;
}

bool ResidualStream::ends_layer(std::size_t step) const {
  const auto layer = [&](std::size_t i) {
    return i < steps_.size() && steps_[i].module != "embedding" ? layer_of(steps_[i].module, stack_)
                                                                : std::string_view();
  };
  return step == 0 || (!layer(step).empty() && layer(step + 1) != layer(step));
}

Tensor ResidualStream::outputs(std::int64_t row) const {
  const std::vector<Vector> before = states(row);
  std::size_t last = steps_.size();  // behind the last layer
  while (last > 1 && !ends_layer(last - 1)) --last;
  std::vector<float> values;
  std::int64_t count = 0;
  for (std::size_t i = 0; i < last; ++i) {
    if (!ends_layer(i)) continue;
    Vector state = before[i + 1];
    for (std::size_t j = last; j < steps_.size(); ++j) state = steps_[j].output_for(state, row);
    values.insert(values.end(), state.begin(), state.end());
    ++count;
  }
  return Tensor::from(values, {count, width()});
}

}  // namespace attend
