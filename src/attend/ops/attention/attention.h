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

struct AttentionInputs {
  Columns q, k, v;  // [N, H*Dh], [M, H*Dh], [M, H*Dv]
  // The table of a DistanceBias [2R+1, H], or undefined.
  Variable distance_bias = {};
};

// softmax(scale Q K^T + biases) V, per head (Vaswani et al. 2017, equation 1), on a ragged batch ->
// [N, H*Dv]. weights: null, or receives a [Tq, Tk] block of weights (before dropout) for each
// sequence and head. Throws ShapeError, also for a gradient where query sequences share keys, and
// ConfigError for a dropout probability outside [0, 1).
Variable scaled_dot_product_attention(const AttentionInputs& x, const AttentionLayout& layout,
                                      Tensor* weights = nullptr);

// A bias of a layout from a boolean mask: 0 where allowed, -infinity where not.
Tensor mask_bias(const std::vector<bool>& allowed);

}  // namespace attend
