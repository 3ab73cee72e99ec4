// Attention in parts: scores of pairs, weights from scores, weighted sums of values.
// scaled_dot_product_attention fuses one combination; variants (hard attention, additive scores)
// use the others.
//
// Pairs and weights are one tensor [P]: a [Tq, Tk] block for each sequence and head. Of the layout,
// all ops read the sequences and the heads; attention_weights alone reads the scale and what is
// visible, and none the dropout. All ops throw ShapeError.
#pragma once

#include "attend/ops/attention/attention.h"

namespace attend {

// q[i] . k[j], head by head.  q [N, H*Dh], k [M, H*Dh] -> [P].
Variable attention_scores(const Variable& q, const Variable& k, const AttentionLayout& layout);

// v . tanh(q[i] + k[j]), head by head (Bahdanau et al. 2015, appendix A.1.2, with q = W s and k = U
// h). q [N, H*Dh], k [M, H*Dh], v [1, H*Dh] -> [P].
Variable additive_attention_scores(const Variable& q, const Variable& k, const Variable& v,
                                   const AttentionLayout& layout);

// How weights are chosen from scores.
enum class AttentionChoice {
  soft,  // softmax(scale * scores)
  hard,  // 1 for the key with the largest score (the first of equal ones), 0 for the others; scores
         // get no gradient
  straight_through,  // hard in the forward pass, with the gradient of soft (Bengio et al. 2013)
};

// scores [P] -> weights [P]. Applies the layout's scale, mask and bias. A query without visible
// keys gets zeros.
Variable attention_weights(const Variable& scores, const AttentionLayout& layout,
                           AttentionChoice choice = AttentionChoice::soft);

// What attention chooses by: scores [P] times the scale, with the cap, plus the biases by distance
// (a table as in AttentionInputs, or undefined) and those of the layout; -infinity where a query
// does not see a key -> [P]. scaled_dot_product_attention computes it on its way. No gradients.
Tensor visible_scores(const Variable& scores, const Variable& distance_bias,
                      const AttentionLayout& layout);

// sum_j weights[i, j] v[j], head by head.  weights [P], v [M, H*Dv] -> [N, H*Dv].
Variable attention_sum(const Variable& weights, const Variable& v, const AttentionLayout& layout);

}  // namespace attend
