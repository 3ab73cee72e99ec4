#include "attend/models/encoder.h"

#include <fmt/format.h>

#include "attend/models/layer_options.h"

namespace attend {

EncoderLayer::EncoderLayer(ParameterSet& parameters, const std::string& path, const TransformerConfig& config)
    : self_attn_(parameters, path + ".self_attn", attention_options(config)),
      attention_connection_(parameters, path + ".norm1", config.d_model, config.dropout, config.norm_first),
      feed_forward_(parameters, path + ".feed_forward", feed_forward_options(config)),
      feed_forward_connection_(parameters, path + ".norm2", config.d_model, config.dropout, config.norm_first) {}

template <class Attend>
Variable EncoderLayer::sublayers(const Variable& x, Pass& pass, const Attend& attend) const {
  const Variable y = attention_connection_.forward(x, pass, attend);
  return feed_forward_connection_.forward(y, pass, [&](const Variable& in) { return feed_forward_.forward(in, pass); });
}

Variable EncoderLayer::forward(const Variable& x, const AttentionPattern& pattern, Pass& pass) const {
  return sublayers(x, pass, [&](const Variable& in) { return self_attn_.self(in, pattern, pass); });
}

Variable EncoderLayer::step(const Variable& x, KVCache& cache, int layer, Pass& pass) const {
  return sublayers(x, pass, [&](const Variable& in) { return self_attn_.self_cached(in, cache, layer); });
}

Encoder::Encoder(ParameterSet& parameters, const std::string& path, const TransformerConfig& config) {
  layers_.reserve(static_cast<std::size_t>(config.n_encoder_layers));
  for (int i = 0; i < config.n_encoder_layers; ++i) layers_.emplace_back(parameters, fmt::format("{}.layers.{}", path, i), config);
  if (config.norm_first) norm_.emplace(parameters, path + ".norm", config.d_model);
}

Variable Encoder::forward(Variable x, const AttentionPattern& pattern, Pass& pass) const {
  const auto record = [&pass](const Variable& state) {
    if (pass.hidden != nullptr) pass.hidden->push_back(state.value());
  };
  for (const EncoderLayer& layer : layers_) {
    record(x);
    x = layer.forward(x, pattern, pass);
  }
  if (norm_) x = norm_->forward(x);
  record(x);
  return x;
}

Variable Encoder::step(Variable x, KVCache& cache, Pass& pass) const {
  for (int i = 0; i < layers(); ++i) x = layers_[static_cast<std::size_t>(i)].step(x, cache, i, pass);
  return norm_ ? norm_->forward(x) : x;
}

}  // namespace attend
