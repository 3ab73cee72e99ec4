// The stacks of section 3.1 of Vaswani et al. 2017: encoder, decoder, and decoder-only. Each is a
// stack of layers of self-attention, optional cross-attention and a feed-forward network, with
// residual connections. The context determines what a layer attends to and whether it sees later
// positions.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attend/models/stack/layer_context.h"
#include "attend/models/stack/stack_config.h"
#include "attend/nn/attention/multi_head_attention.h"
#include "attend/nn/layers.h"

namespace attend {

// What may differ between the layers of a stack, and what positions add to the scores; null:
// nothing.
struct LayerTraits {
  LayerKind kind = LayerKind::global;
  std::shared_ptr<const RelativePositions> relative = nullptr;
  std::shared_ptr<const DisentangledPositions> disentangled = nullptr;
};

// The self-attention of a layer.
std::unique_ptr<const SequenceMixing> self_attention(ParameterSet& parameters,
                                                     const std::string& path,
                                                     const StackConfig& config,
                                                     const LayerTraits& traits = {});

class TransformerLayer {
 public:
  // What a layer has beside the others of its stack.
  struct Role {
    bool cross_attention = false;
    int d_memory = 0;  // the width of what it attends to; 0: that of the layer
    bool is_first = false;
    FeedForwardKind network = FeedForwardKind::dense;
  };
  // Parameters norm1, [cross_attn, norm2,] feed_forward and the last norm, numbered consecutively;
  // norm1 alone if they share it.
  TransformerLayer(ParameterSet& parameters, const std::string& path, const StackConfig& config,
                   const Role& role, std::unique_ptr<const SequenceMixing> mixing);
  // `layer` is the index of this layer, for the context. [N, D] -> [N, D]
  Variable forward(const Variable& x, AttentionContext& context, int layer, Pass& pass) const;
  // Keys and values of a memory [M, D], for layers with cross-attention.
  Tensor project_memory(const Variable& memory) const {
    return cross_->attention.project_memory(memory);
  }

 private:
  struct CrossAttention {
    MultiHeadAttention attention;
    SublayerConnection connection;
  };

  std::unique_ptr<const SequenceMixing> mixing_;
  Sublayers sublayers_;
  SublayerConnection self_connection_;
  bool norm_keys_;
  std::optional<CrossAttention> cross_;
  std::unique_ptr<const PositionWise> feed_forward_;
  SublayerConnection feed_forward_connection_;
};

// What makes a stack an encoder, a decoder, or a decoder-only model.
struct StackRole {
  int layers = 1;
  bool cross_attention = false;
  int d_memory = 0;           // the width of what that attends to; 0: that of the stack
  bool causal = false;        // its tokens see no later ones, as its context says, too
  bool recurrent = false;     // simple recurrent units instead of self-attention; for causal ones
  float output_scale = 1.0f;  // factor of the output, after the last normalization
  int output_width = 0;       // W of a linear layer behind that normalization; 0: none
};

class TransformerStack {
 public:
  TransformerStack(ParameterSet& parameters, const std::string& path, const StackConfig& config,
                   const StackRole& role);
  // Parameters layers.N, which begin with self_attn or recurrence, of a group of layers that share
  // them those of group N; norm after the last layer, if it has one; disentangled_positions; and
  // relative_positions of learned relative positions that layers share, others are in
  // layers.N.self_attn; narrowing of a layer that makes the output narrower. [N, D] -> [N, D], or
  // [N, W]. A pass that requests hidden states gets x and the output of every layer, the last one
  // before it is scaled; one that requests the residual stream gets all that happens to x.
  Variable forward(Variable x, AttentionContext& context, Pass& pass) const;
  // Keys and values of a memory [M, D] for every layer, computed once per source.
  std::vector<Tensor> project_memory(const Variable& memory) const;
  int layers() const { return static_cast<int>(layers_.size()); }

 private:
  std::string path_;
  std::vector<TransformerLayer> layers_;
  std::optional<Norm> norm_;  // after the last layer
  std::optional<Linear> narrowing_;
  float output_scale_;
};

}  // namespace attend
