#include "attend/models/layer_mix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>

#include "attend/core/options/option_error.h"
#include "attend/error.h"
#include "attend/ops/elementwise.h"
#include "attend/ops/layer_norm.h"

namespace attend {

namespace {

constexpr float kMixEpsilon = 1e-12f;

std::vector<double> softmax_shares(std::span<const float> w) {
  const double highest = *std::max_element(w.begin(), w.end());
  std::vector<double> shares;
  for (const float x : w) shares.push_back(std::exp(x - highest));
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share /= sum;
  return shares;
}

// max(w - t, 0), with the t that makes the sum 1: of the k largest, (their sum - 1) / k for the
// largest k whose smallest is above that.
std::vector<double> sparsemax_shares(std::span<const float> w) {
  std::vector<double> sorted(w.begin(), w.end());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = 0, threshold = 0;
  for (std::size_t k = 1; k <= sorted.size(); ++k) {
    sum += sorted[k - 1];
    const double candidate = (sum - 1) / static_cast<double>(k);
    if (sorted[k - 1] > candidate) threshold = candidate;
  }
  std::vector<double> shares;
  for (const float x : w) shares.push_back(std::max(x - threshold, 0.0));
  return shares;
}

// Each sequence centered and divided by its standard deviation, over all tokens and columns, times
// `factor`.
Tensor normalized_sequences(const Tensor& x, const Ids& offsets, float factor) {
  const Tensor y = Tensor::empty(x.shape());
  for (std::size_t b = 0; b + 1 < offsets->size(); ++b) {
    const Tensor from = x.slice_rows((*offsets)[b], (*offsets)[b + 1]);
    const Tensor all = from.reshape({1, from.size()});
    const Variable normalized =
        layer_norm(Variable(all), {Variable(Tensor::full({all.cols()}, factor)),
                                   Variable(Tensor::zeros({all.cols()})), kMixEpsilon});
    y.slice_rows((*offsets)[b], (*offsets)[b + 1])
        .copy_from(normalized.value().reshape(from.shape()));
  }
  return y;
}

}  // namespace

std::vector<double> layer_shares(LayerWeights weights, std::span<const float> w) {
  return weights == LayerWeights::sparsemax ? sparsemax_shares(w) : softmax_shares(w);
}

LayerMix::LayerMix(ParameterSet& parameters, int layers, const LayerMixOptions& options)
    : options_(options), layer_(options.layer < 0 ? layers : options.layer) {
  if (layer_ > layers)
    throw OptionError<ConfigError>("{}: expected one of {} layers, got {}", as_key("output-layer"),
                                   layers, options.layer);
  if (options.weights == LayerWeights::none) {
    if (options.norm)
      throw OptionError<ConfigError>("{}: needs {}", as_key("layer-mix-norm"), as_key("layer-mix"));
    return;
  }
  for (int k = 0; k <= layers; ++k)
    weights_.push_back(
        parameters.add(fmt::format("layer_mix.weights.{}", k), {1}, {Init::Kind::zeros}));
  gamma_ = parameters.add("layer_mix.gamma", {1}, {Init::Kind::ones});
}

std::vector<float> LayerMix::factors() const {
  std::vector<float> w;
  for (const Parameter& weight : weights_) w.push_back(static_cast<float>(weight->value().item()));
  const double gamma = gamma_->value().item();
  std::vector<float> factors;
  for (const double share : layer_shares(options_.weights, w))
    factors.push_back(static_cast<float>(gamma * share));
  return factors;
}

Tensor LayerMix::forward(const std::vector<Tensor>& layers, const Ids& offsets) const {
  if (weights_.empty()) return layers.at(static_cast<std::size_t>(layer_));
  const std::vector<float> factor = factors();
  Variable sum;
  for (std::size_t k = 0; k < weights_.size(); ++k) {
    if (factor[k] == 0.0f) continue;
    const Variable part = options_.norm
                              ? Variable(normalized_sequences(layers.at(k), offsets, factor[k]))
                              : scale(Variable(layers.at(k)), factor[k]);
    sum = sum.defined() ? add(sum, part) : part;
  }
  return sum.defined() ? sum.value() : scale(Variable(layers.front()), 0.0f).value();
}

}  // namespace attend
