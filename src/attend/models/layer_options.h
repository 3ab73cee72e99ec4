// From the model's configuration to the options of its modules.
#pragma once

#include "attend/models/transformer_config.h"
#include "attend/nn/layers.h"
#include "attend/nn/multi_head_attention.h"

namespace attend {

inline MultiHeadAttentionOptions attention_options(const TransformerConfig& config) {
  MultiHeadAttentionOptions options;
  options.d_model = config.d_model;
  options.n_heads = config.n_heads;
  options.d_key = config.d_key;
  options.d_value = config.d_value;
  options.variant = config.attention;
  options.dropout = config.attention_dropout;
  return options;
}

inline FeedForwardOptions feed_forward_options(const TransformerConfig& config) {
  return {config.d_model, config.d_ff, config.activation, config.activation_dropout};
}

}  // namespace attend
