// Biases by distance: their values and their gradients per diagonal of a sequence's scores
// (distance_bias-inl.h), and the gradient of the table.
#pragma once

#include "attend/backend/fast/attention/attention_work.h"

namespace attend {

// Memory for a value of each diagonal of a unit's sequence, and of the padding of its last tile.
inline std::size_t diagonal_floats(const AttentionUnit& unit) {
  return static_cast<std::size_t>(unit.queries + unit.keys + kQueryBlock);
}

// Writes the biases of the unit's head, by diagonal; zeros for the padding.
void load_diagonals(const AttentionCall& call, const AttentionUnit& unit, float* biases);

// The gradients of the scores, summed by diagonal for every sequence and head: Tq + Tk floats each.
Tensor make_distance_sums(const AttentionLayout& layout);
// Where those of a unit are.
inline float* distance_sums_of(const AttentionCall& call, const AttentionUnit& unit) {
  return call.distance_sums + unit.tokens_before * call.heads +
         unit.head * (unit.queries + unit.keys);
}
// gradient [2 reach + 1, H] = the sums by distance, over sequences in order, divided by the scale
// that they contain.
void write_distance_gradient(const AttentionCall& call, const AttentionLayout& layout,
                             const Tensor& gradient);

}  // namespace attend
