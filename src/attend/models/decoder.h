// The decoder of section 3.1: self-attention to earlier positions, attention to the encoder's output, a feed-forward network.
//
// One definition serves training and decoding. What a layer attends to is asked of a DecoderContext: in training whole sequences under a
// causal mask, in decoding a cache of what came before.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "attend/models/transformer_config.h"
#include "attend/nn/kv_cache.h"
#include "attend/nn/layers.h"
#include "attend/nn/multi_head_attention.h"
#include "attend/nn/ragged.h"

namespace attend {

class DecoderContext {
 public:
  virtual ~DecoderContext() = default;
  virtual Variable attend_to_self(const MultiHeadAttention& attention, int layer, const Variable& x, Pass& pass) = 0;
  virtual Variable attend_to_memory(const MultiHeadAttention& attention, int layer, const Variable& x, Pass& pass) = 0;
};

// Whole target sequences at once, each position seeing itself and the earlier ones.
class FullContext final : public DecoderContext {
 public:
  FullContext(Variable memory, const Ragged& src, const Ragged& tgt)
      : memory_(std::move(memory)), self_(tgt.self_pattern(true)), cross_(tgt.cross_pattern(src)) {}
  Variable attend_to_self(const MultiHeadAttention& attention, int layer, const Variable& x, Pass& pass) override;
  Variable attend_to_memory(const MultiHeadAttention& attention, int layer, const Variable& x, Pass& pass) override;

 private:
  Variable memory_;
  AttentionPattern self_;
  AttentionPattern cross_;
};

// One new position for each of the hypotheses being decoded.
class CachedContext final : public DecoderContext {
 public:
  // memory: Decoder::project_memory() of sentences whose tokens begin at `src_offsets`. sentence: of each hypothesis.
  CachedContext(KVCache& cache, const std::vector<Tensor>& memory, std::span<const std::int32_t> src_offsets,
                std::span<const std::int32_t> sentence);
  Variable attend_to_self(const MultiHeadAttention& attention, int layer, const Variable& x, Pass& pass) override;
  Variable attend_to_memory(const MultiHeadAttention& attention, int layer, const Variable& x, Pass& pass) override;

 private:
  KVCache& cache_;
  const std::vector<Tensor>& memory_;    // projected keys and values of each layer
  std::vector<std::int32_t> positions_;  // rows of the memory that hypothesis 0, 1, ... attends to
  std::vector<std::int32_t> offsets_;    // where those of each begin
  std::vector<const void*> rows_;        // the same, of a layer
};

class DecoderLayer {
 public:
  DecoderLayer(ParameterSet& parameters, const std::string& path, const TransformerConfig& config, int layer);
  Variable forward(const Variable& x, DecoderContext& context, Pass& pass) const;  // [N, D] -> [N, D]
  const MultiHeadAttention& cross_attention() const { return cross_attn_; }

 private:
  int layer_;
  MultiHeadAttention self_attn_;
  SublayerConnection self_connection_;
  MultiHeadAttention cross_attn_;
  SublayerConnection cross_connection_;
  FeedForward feed_forward_;
  SublayerConnection feed_forward_connection_;
};

class Decoder {
 public:
  Decoder(ParameterSet& parameters, const std::string& path, const TransformerConfig& config);
  Variable forward(Variable x, DecoderContext& context, Pass& pass) const;  // [N, D] -> [N, D]

  // Keys and values of the encoder's output for every layer, computed once per sentence.
  std::vector<Tensor> project_memory(const Variable& memory) const;
  int layers() const { return static_cast<int>(layers_.size()); }

 private:
  std::vector<DecoderLayer> layers_;
  std::optional<LayerNorm> norm_;  // after the last layer, pre-norm only
};

}  // namespace attend
