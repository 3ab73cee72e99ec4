#include "attend/models/decoder.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/models/layer_options.h"

namespace attend {

Variable FullContext::attend_to_self(const MultiHeadAttention& attention, int, const Variable& x, Pass& pass) {
  return attention.self(x, self_, pass);
}

Variable FullContext::attend_to_memory(const MultiHeadAttention& attention, int, const Variable& x, Pass& pass) {
  return attention.cross(x, memory_, cross_, pass);
}

CachedContext::CachedContext(KVCache& cache, const std::vector<Tensor>& memory, std::span<const std::int32_t> src_offsets,
                             std::span<const std::int32_t> sentence)
    : cache_(cache), memory_(memory), offsets_(1, 0) {
  for (const std::int32_t s : sentence) {
    const auto number = static_cast<std::size_t>(s);
    for (std::int32_t position = src_offsets[number]; position < src_offsets[number + 1]; ++position) positions_.push_back(position);
    offsets_.push_back(static_cast<std::int32_t>(positions_.size()));
  }
  rows_.resize(positions_.size());
}

Variable CachedContext::attend_to_self(const MultiHeadAttention& attention, int layer, const Variable& x, Pass&) {
  return attention.self_cached(x, cache_, layer);
}

Variable CachedContext::attend_to_memory(const MultiHeadAttention& attention, int layer, const Variable& x, Pass&) {
  const Tensor& memory = memory_[static_cast<std::size_t>(layer)];
  std::transform(positions_.begin(), positions_.end(), rows_.begin(), [&](std::int32_t position) { return memory.row_bytes(position); });
  return attention.cross_cached(x, {rows_, offsets_, memory.dtype()});
}

DecoderLayer::DecoderLayer(ParameterSet& parameters, const std::string& path, const TransformerConfig& config, int layer)
    : layer_(layer),
      self_attn_(parameters, path + ".self_attn", attention_options(config)),
      self_connection_(parameters, path + ".norm1", config.d_model, config.dropout, config.norm_first),
      cross_attn_(parameters, path + ".cross_attn", attention_options(config)),
      cross_connection_(parameters, path + ".norm2", config.d_model, config.dropout, config.norm_first),
      feed_forward_(parameters, path + ".feed_forward", feed_forward_options(config)),
      feed_forward_connection_(parameters, path + ".norm3", config.d_model, config.dropout, config.norm_first) {}

Variable DecoderLayer::forward(const Variable& x, DecoderContext& context, Pass& pass) const {
  const auto self = [&](const Variable& in) { return context.attend_to_self(self_attn_, layer_, in, pass); };
  const auto cross = [&](const Variable& in) { return context.attend_to_memory(cross_attn_, layer_, in, pass); };
  const Variable y = cross_connection_.forward(self_connection_.forward(x, pass, self), pass, cross);
  return feed_forward_connection_.forward(y, pass, [&](const Variable& in) { return feed_forward_.forward(in, pass); });
}

Decoder::Decoder(ParameterSet& parameters, const std::string& path, const TransformerConfig& config) {
  layers_.reserve(static_cast<std::size_t>(config.n_decoder_layers));
  for (int i = 0; i < config.n_decoder_layers; ++i) layers_.emplace_back(parameters, fmt::format("{}.layers.{}", path, i), config, i);
  if (config.norm_first) norm_.emplace(parameters, path + ".norm", config.d_model);
}

Variable Decoder::forward(Variable x, DecoderContext& context, Pass& pass) const {
  for (const DecoderLayer& layer : layers_) x = layer.forward(x, context, pass);
  return norm_ ? norm_->forward(x) : x;
}

std::vector<Tensor> Decoder::project_memory(const Variable& memory) const {
  std::vector<Tensor> projected;
  projected.reserve(layers_.size());
  for (const DecoderLayer& layer : layers_) projected.push_back(layer.cross_attention().project_memory(memory));
  return projected;
}

}  // namespace attend
