#include "attend/nn/experts.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/core/options/option_error.h"
#include "attend/error.h"
#include "attend/nn/residual_step.h"
#include "attend/ops/elementwise.h"
#include "attend/ops/linear.h"
#include "attend/ops/slices.h"
#include "attend/ops/softmax.h"

namespace attend {

namespace {

// The pairs of a token and one of its K experts, expert by expert, and token by token for each.
struct Routes {
  std::vector<std::vector<std::int32_t>> tokens;  // of each expert
  std::vector<std::int32_t> all_tokens;           // the same, end to end
  std::vector<std::int32_t> choices;              // n K + j: the pair is choice j of token n
  std::vector<std::int32_t> columns;              // n E + e
};

Routes routes_of(const Tensor& chosen, std::int64_t experts) {
  Routes routes;
  routes.tokens.resize(static_cast<std::size_t>(experts));
  std::vector<std::vector<std::int32_t>> choices(routes.tokens.size());
  for (std::int64_t n = 0; n < chosen.rows(); ++n)
    for (std::int64_t j = 0; j < chosen.cols(); ++j) {
      const auto expert = static_cast<std::size_t>(chosen.row<std::int32_t>(n)[j]);
      routes.tokens[expert].push_back(static_cast<std::int32_t>(n));
      choices[expert].push_back(static_cast<std::int32_t>(n * chosen.cols() + j));
    }
  for (std::size_t e = 0; e < choices.size(); ++e)
    for (std::size_t i = 0; i < choices[e].size(); ++i) {
      routes.all_tokens.push_back(routes.tokens[e][i]);
      routes.choices.push_back(choices[e][i]);
      routes.columns.push_back(static_cast<std::int32_t>(routes.tokens[e][i] * experts) +
                               static_cast<std::int32_t>(e));
    }
  return routes;
}

Variable column(const Variable& x) { return reshape(x, {x.shape().size(), 1}); }

// 1 / (1 + exp(-x))
Variable sigmoid(const Variable& x) {
  const Variable half(Tensor::full(x.shape(), 0.5f));
  return add(half, scale(activate(scale(x, 0.5f), Activation::tanh), 0.5f));
}

// The logits, to whose gradient that of the balance loss is added, `weight` sum_e f_e mean_n
// p_e[n]. Beside them, not in the loss of the model: so it is the same where layers are computed
// again.
Variable balanced(const Variable& logits, const Tensor& probabilities, const Routes& routes,
                  float weight) {
  const auto tokens = static_cast<float>(logits.dim(0));
  std::vector<float> shares;
  for (const auto& own : routes.tokens) shares.push_back(static_cast<float>(own.size()) / tokens);
  const Tensor shares_of_experts = Tensor::from(shares, {1, logits.dim(1)});
  const Ids same(std::vector<std::int32_t>(static_cast<std::size_t>(logits.dim(0)), 0));
  // dlogits = dy + the gradient of softmax for dp[n] = weight f / N
  return record(logits.value(), {&logits},
                [probabilities, shares_of_experts, same, factor = weight / tokens,
                 dlogits = logits.sink()](const Tensor& dy) {
                  const Tensor dp = Tensor::empty(dy.shape()), gradient = Tensor::empty(dy.shape());
                  backend()->gather_rows(shares_of_experts, same, dp);
                  backend()->axpby(factor, dp, 0.0f, dp);
                  backend()->softmax_backward(probabilities, dp, 1.0f, gradient);
                  backend()->add(gradient, dy, gradient);
                  dlogits.add(gradient);
                });
}

}  // namespace

Experts::Experts(ParameterSet& parameters, const std::string& path, const ExpertOptions& options)
    : path_(path), options_(options) {
  if (options.per_token > options.experts)
    throw OptionError<ConfigError>("{}: {} of {} {}", as_key("experts-per-token"),
                                   options.per_token, options.experts, as_key("experts"));
  const std::int64_t width = options.expert.d_model;
  router_ = parameters.add(path + ".router.weight", {options.experts, width},
                           {Init::Kind::xavier_uniform});
  for (int e = 0; e < options.experts; ++e)
    experts_.emplace_back(parameters, fmt::format("{}.experts.{}", path, e), options.expert);
  if (options.shared_width == 0) return;
  FeedForwardOptions shared = options.expert;
  shared.d_ff = options.shared_width;
  shared_.emplace(parameters, path + ".shared", shared);
  shared_gate_ =
      parameters.add(path + ".shared_gate.weight", {1, width}, {Init::Kind::xavier_uniform});
}

Variable Experts::routed(const Variable& x, Pass& pass) const {
  const std::int64_t rows = x.dim(0), experts = options_.experts, per_token = options_.per_token;
  Variable logits = linear(x, *router_);
  const Variable likely = pass.keep(path_, "router", softmax(logits));
  const Tensor values = Tensor::empty({rows, per_token}),
               chosen = Tensor::empty({rows, per_token}, DType::i32);
  backend()->log_softmax_top_k(likely.value(), options_.per_token, values, chosen);
  const Routes routes = routes_of(chosen.to_host(), experts);
  if (pass.is_training() && options_.balance > 0.0f && rows > 0)
    logits = balanced(logits, likely.value(), routes,
                      options_.balance * static_cast<float>(experts) * pass.share);

  Variable weights;
  if (options_.normalized) {  // the softmax of the chosen logits alone
    std::vector<std::int32_t> of_tokens(routes.columns.size());
    for (std::size_t i = 0; i < of_tokens.size(); ++i)
      of_tokens[static_cast<std::size_t>(routes.choices[i])] = routes.columns[i];
    const Variable own = reshape(gather_rows(column(logits), of_tokens), {rows, per_token});
    weights = gather_rows(column(softmax(own)), routes.choices);
  } else {
    weights = gather_rows(column(softmax(logits)), routes.columns);
  }
  std::vector<Variable> parts;
  for (std::size_t e = 0; e < experts_.size(); ++e)
    if (!routes.tokens[e].empty() || pass.is_training())  // gradients of zero
      parts.push_back(experts_[e].part(gather_rows(x, routes.tokens[e]), pass));
  if (parts.empty()) return scale(x, 0.0f);  // no rows
  return scatter_rows(scale_rows(concat_rows(parts), weights), routes.all_tokens, rows);
}

Variable Experts::forward(const Variable& x, Pass& pass) const {
  Variable y = routed(x, pass);
  if (shared_) y = add(y, scale_rows(shared_->part(x, pass), sigmoid(linear(x, *shared_gate_))));
  if (pass.residual != nullptr) pass.residual->push_back({.module = path_, .added = y.value()});
  return pass.keep(path_, "output", y);
}

}  // namespace attend
