#include "attend/nn/layers.h"

#include <utility>

#include "attend/nn/residual_step.h"
#include "attend/ops/elementwise.h"
#include "attend/ops/linear.h"
#include "attend/ops/slices.h"

namespace attend {

Linear::Linear(ParameterSet& parameters, const std::string& path, std::int64_t in, std::int64_t out,
               bool bias)
    : weight_(parameters.add_weights(path + ".weight", {out, in}, {Init::Kind::xavier_uniform})) {
  if (bias) bias_ = parameters.add(path + ".bias", {out}, {Init::Kind::zeros});
}

Variable Linear::forward(const Variable& x, const Pass& pass, Activation activation) const {
  const auto [weight, bias] = map();
  return linear(x, weight, bias, {activation, pass.precision()});
}

Norm::Norm(ParameterSet& parameters, const std::string& path, std::int64_t width,
           const NormOptions& options)
    : path_(path),
      weight_(parameters.add(path + ".weight", {width}, {Init::Kind::ones})),
      centered_(options.kind == NormKind::layer),
      epsilon_(options.epsilon) {
  if (centered_ && options.bias)
    bias_ = parameters.add(path + ".bias", {width}, {Init::Kind::zeros});
}

// The operation centers what it shifts, be it by zeros.
LayerNormParameters Norm::affine() const {
  Variable shift;
  if (centered_) shift = bias_ ? *bias_ : Variable(Tensor::zeros(weight_->shape()));
  return {*weight_, shift, epsilon_};
}

Variable Norm::forward(const Variable& x) const { return layer_norm(x, affine()); }

Variable Norm::forward_heads(const Variable& x) const {
  const std::int64_t width = weight_->dim(0);
  return reshape(forward(reshape(x, {x.shape().size() / width, width})), x.shape());
}

Variable Norm::forward_residual(const Variable& x, const Variable& branch,
                                const Dropout& dropout) const {
  return residual_layer_norm(x, branch, dropout, affine());
}

void Norm::record(const Pass& pass) const {
  if (pass.residual != nullptr) pass.residual->push_back({.module = path_, .norm = affine()});
}

void Norm::record_branch(const Pass& pass) const {
  if (pass.residual != nullptr) pass.residual->back().branch_norm = {path_, affine()};
}

FeedForward::FeedForward(ParameterSet& parameters, const std::string& path,
                         const FeedForwardOptions& options)
    : path_(path),
      linear1_(parameters, path + ".linear1", options.d_model, options.d_ff, options.hidden_bias),
      gate_(options.gated
                ? std::optional<Linear>(std::in_place, parameters, path + ".linear_gate",
                                        options.d_model, options.d_ff, options.hidden_bias)
                : std::nullopt),
      linear2_(parameters, path + ".linear2", options.d_ff, options.d_model, options.bias),
      activation_(options.activation),
      dropout_(options.dropout) {}

Variable FeedForward::part(const Variable& x, Pass& pass) const {
  const HiddenLayer hidden{activation_, pass.dropout(dropout_), pass.precision()};
  return feed_forward(x, linear1_.map(), linear2_.map(), hidden,
                      gate_ ? gate_->map() : AffineMap{});
}

Variable FeedForward::forward(const Variable& x, Pass& pass) const {
  const Variable y = part(x, pass);
  if (pass.residual != nullptr) pass.residual->push_back({.module = path_, .added = y.value()});
  if (pass.keeps(path_)) pass.keep(path_, "hidden", activated(x, pass));
  return pass.keep(path_, "output", y);
}

Variable FeedForward::activated(const Variable& x, const Pass& pass) const {
  const Variable inner = linear1_.forward(x, pass, activation_);
  return gate_ ? multiply(inner, gate_->forward(x, pass)) : inner;
}

SublayerConnection::SublayerConnection(ParameterSet& parameters, const std::string& path,
                                       const ConnectionOptions& options, std::string sublayer)
    : sublayer_(std::move(sublayer)),
      dropout_(options.dropout),
      scale_(options.scale),
      norm_first_(options.norm_first) {
  if (!options.norm_shared && (options.norm_first || !options.norm_branch))
    norm_.emplace(parameters, path, options.width, options.norm);
  if (options.norm_branch)
    branch_norm_.emplace(parameters, path + "_branch", options.width, options.norm);
}

Variable SublayerConnection::input(const Variable& x, const Pass& pass) const {
  if (!norm_first_ || !norm_) return x;
  return pass.keep(sublayer_, "input", norm_->forward(x));
}

Variable SublayerConnection::add(const Variable& x, const Variable& branch, Pass& pass) const {
  if (pass.residual != nullptr) pass.residual->back().branch_factor = scale_;
  if (branch_norm_) branch_norm_->record_branch(pass);
  Variable added = branch_norm_ ? branch_norm_->forward(branch) : branch;
  if (scale_ != 1.0f) added = scale(added, scale_);
  if (branch_norm_ || scale_ != 1.0f) pass.keep(sublayer_, "added", added);
  if (norm_first_ || branch_norm_)
    return pass.keep(sublayer_, "sum", attend::add(x, dropout(added, pass.dropout(dropout_))));
  if (pass.keeps(sublayer_)) keep_sum(x, added, pass);
  norm_->record(pass);
  return pass.keep(sublayer_, "norm", norm_->forward_residual(x, added, pass.dropout(dropout_)));
}

void SublayerConnection::keep_sum(const Variable& x, const Variable& added, Pass pass) const {
  pass.keep(sublayer_, "sum", attend::add(x, dropout(added, pass.dropout(dropout_))));
}

}  // namespace attend
