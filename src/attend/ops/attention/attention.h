#pragma once

#include <memory>
#include <vector>

#include "attend/autograd/variable.h"
#include "attend/backend/backend.h"

namespace attend {

// Some columns of a variable: the Q, K or V part of a fused projection, without a copy.
struct Columns {
  Columns(const Variable& whole)
      : of(whole), begin(0), end(whole.value().cols()) {}  // NOLINT(google-explicit-constructor)
  Columns(Variable whole, std::int64_t first, std::int64_t last)
      : of(std::move(whole)), begin(first), end(last) {}

  Tensor value() const { return of.value().slice_columns(begin, end); }

  Variable of;
  std::int64_t begin;
  std::int64_t end;
};

// Which rows belong to which sequence, and which keys a query sees. Sequence b has the queries
// [query_offsets[b], query_offsets[b+1]) and the keys [key_offsets[b], key_offsets[b+1]).
struct AttentionPattern {
  Ids query_offsets;  // B+1
  Ids key_offsets;    // B+1, or one more than the key sequences
  // Query sequence b attends to key sequence key_sequence[b] instead of b: hypotheses that share a
  // source. Without gradients only.
  Ids key_sequence = {};
  bool causal = false;  // query i of Tq sees keys 0 .. i + (Tk - Tq)
  // Added to the scores, or undefined: a [Tq, Tk] block per sequence; -infinity masks a key. A
  // query without visible keys gets zero weights and a zero output. `mask_bias` makes one from
  // booleans.
  Tensor bias = {};
  // Each query has a position in its sequence, for encodings of positions that are part of
  // attention.
  Ids positions = {};
  // [2R+1, H], added to the scores by distance (DistanceBias), or undefined.
  Variable distance_bias = {};
};

struct AttentionOptions {
  int heads = 1;
  float scale = 1.0f;  // of the scores: 1/sqrt(Dh) or another inverse temperature
  Dropout dropout;     // on the weights
  // The operands of the products have it, forward and backward. bf16 is used where it is faster: in
  // long sequences, on processors that have it.
  Precision precision = Precision::f32;
};

// softmax(scale Q K^T + biases) V, per head (Vaswani et al. 2017, equation 1), on a ragged batch. q
// [N, H*Dh], k [M, H*Dh], v [M, H*Dv] -> [N, H*Dv]. weights: null, or receives a [Tq, Tk] block of
// weights (before dropout) for each sequence and head. Throws ShapeError, and ConfigError for a
// dropout probability outside [0, 1).
Variable scaled_dot_product_attention(const Columns& q, const Columns& k, const Columns& v,
                                      const AttentionPattern& pattern,
                                      const AttentionOptions& options, Tensor* weights = nullptr);

// The additive form of a boolean mask: 0 where allowed, -infinity where not.
Tensor mask_bias(const std::vector<bool>& allowed);

}  // namespace attend
