// What happens to the residual stream: the sum that starts with the embeddings and that every
// sublayer of a stack adds to (Elhage et al. 2021, "A Mathematical Framework for Transformer
// Circuits").
#pragma once

#include <optional>
#include <string>

#include "attend/ops/layer_norm.h"
#include "attend/ops/linear.h"

namespace attend {

// Something is added to the stream, or the stream itself is normalized or scaled. Kept by a pass
// over whole sequences without gradients, of every stack, in order; the first step of a stack adds
// the embeddings to nothing. A normalization before a sublayer (pre-norm) is no step: the stream
// goes past it.
struct ResidualStep {
  // What is added [N, D], by attention from its heads: columns h of `heads`, the outputs of n_heads
  // heads side by side [N, H*d_value], go through columns h of the projection's weights. The bias
  // of the projection is added once.
  struct Heads {
    int n_heads = 0;
    Tensor values;
    AffineMap projection;
  };

  std::string module;  // "decoder" for the embeddings, "decoder.layers.0.cross_attn", ...
  Tensor added = {};   // undefined: nothing
  std::optional<Heads> heads = {};
  // Normalizes what is added, before it is.
  struct BranchNorm {
    std::string module;
    LayerNormParameters norm;
  };
  std::optional<BranchNorm> branch_norm = {};
  float branch_factor = 1.0f;  // of what is added, behind its normalization
  std::optional<LayerNormParameters> norm = {};
  float factor = 1.0f;  // of the stream
};

}  // namespace attend
