// The encoder of section 3.1: a stack of layers, each self-attention and a feed-forward network with residual connections. Under a causal
// pattern the same stack is a language model's decoder, which step() takes token by token.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "attend/models/transformer_config.h"
#include "attend/nn/layers.h"
#include "attend/nn/multi_head_attention.h"
#include "attend/nn/ragged.h"

namespace attend {

class EncoderLayer {
 public:
  EncoderLayer(ParameterSet& parameters, const std::string& path, const TransformerConfig& config);
  Variable forward(const Variable& x, const AttentionPattern& pattern, Pass& pass) const;  // [N, D] -> [N, D]
  // The new positions announced by cache.extend, one per hypothesis; `layer` is this one's number. No gradients. [R, D] -> [R, D]
  Variable step(const Variable& x, KVCache& cache, int layer, Pass& pass) const;

 private:
  template <class Attend>
  Variable sublayers(const Variable& x, Pass& pass, const Attend& attend) const;

  MultiHeadAttention self_attn_;
  SublayerConnection attention_connection_;
  FeedForward feed_forward_;
  SublayerConnection feed_forward_connection_;
};

class Encoder {
 public:
  Encoder(ParameterSet& parameters, const std::string& path, const TransformerConfig& config);
  Variable forward(Variable x, const AttentionPattern& pattern, Pass& pass) const;  // [N, D] -> [N, D]
  Variable step(Variable x, KVCache& cache, Pass& pass) const;                      // as EncoderLayer's
  int layers() const { return static_cast<int>(layers_.size()); }

 private:
  std::vector<EncoderLayer> layers_;
  std::optional<LayerNorm> norm_;  // after the last layer, pre-norm only
};

}  // namespace attend
