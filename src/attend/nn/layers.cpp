#include "attend/nn/layers.h"

#include "attend/ops/elementwise.h"
#include "attend/ops/linear.h"

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

LayerNorm::LayerNorm(ParameterSet& parameters, const std::string& path, std::int64_t width)
    : weight_(parameters.add(path + ".weight", {width}, {Init::Kind::ones})),
      bias_(parameters.add(path + ".bias", {width}, {Init::Kind::zeros})) {}

Variable LayerNorm::forward(const Variable& x) const { return layer_norm(x, affine()); }

Variable LayerNorm::forward_residual(const Variable& x, const Variable& branch,
                                     const Dropout& dropout) const {
  return residual_layer_norm(x, branch, dropout, affine());
}

FeedForward::FeedForward(ParameterSet& parameters, const std::string& path,
                         const FeedForwardOptions& options)
    : linear1_(parameters, path + ".linear1", options.d_model, options.d_ff),
      linear2_(parameters, path + ".linear2", options.d_ff, options.d_model),
      activation_(options.activation),
      dropout_(options.dropout) {}

Variable FeedForward::forward(const Variable& x, Pass& pass) const {
  return feed_forward(x, linear1_.map(), linear2_.map(),
                      {activation_, pass.dropout(dropout_), pass.precision()});
}

SublayerConnection::SublayerConnection(ParameterSet& parameters, const std::string& path,
                                       std::int64_t width, float dropout, bool norm_first)
    : norm_(parameters, path, width), dropout_(dropout), norm_first_(norm_first) {}

Variable SublayerConnection::add_residual(const Variable& x, const Variable& branch,
                                          Pass& pass) const {
  return add(x, dropout(branch, pass.dropout(dropout_)));
}

}  // namespace attend
