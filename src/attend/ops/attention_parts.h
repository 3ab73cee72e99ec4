// Attention in parts: scores of pairs, weights from scores, sums of values by weights. What
// scaled_dot_product_attention does in one pass is one combination of them; the variants (hard
// attention, additive scores) are the others.
//
// Pairs and weights are one tensor [P]: for each sequence, then each head, a [Tq, Tk] block, one
// after the other. All of the ops throw ShapeError.
#pragma once

#include "attend/ops/attention.h"

namespace attend {

// q[i] . k[j], head by head.  q [N, H*Dh], k [M, H*Dh] -> [P].
Variable attention_scores(const Variable& q, const Variable& k, const AttentionPattern& pattern,
                          int heads);

// v . tanh(q[i] + k[j]), head by head (Bahdanau et al. 2015, appendix A.1.2, with q = W s and k = U
// h). q [N, H*Dh], k [M, H*Dh], v [1, H*Dh] -> [P].
Variable additive_attention_scores(const Variable& q, const Variable& k, const Variable& v,
                                   const AttentionPattern& pattern, int heads);

// Where a query looks.
enum class AttentionChoice {
  soft,  // softmax(scale * scores)
  hard,  // 1 for the key of the largest score, the first of equal ones, and 0 for the others; no
         // gradient goes to the scores
  straight_through,  // hard going forward; going back the gradient of soft (Bengio et al. 2013)
};

struct AttentionWeightOptions {
  int heads = 1;
  float scale = 1.0f;  // any inverse temperature beta
  AttentionChoice choice = AttentionChoice::soft;
};

// scores [P] -> weights [P]. The pattern's mask and bias count here. A query that may see nothing
// gets zeros.
Variable attention_weights(const Variable& scores, const AttentionPattern& pattern,
                           const AttentionWeightOptions& options);

// sum_j weights[i, j] v[j], head by head.  weights [P], v [M, H*Dv] -> [N, H*Dv].
Variable attention_sum(const Variable& weights, const Variable& v, const AttentionPattern& pattern,
                       int heads);

}  // namespace attend
