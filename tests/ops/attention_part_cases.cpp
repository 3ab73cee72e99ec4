// Attention in parts: scores, weights, sums.
#include <limits>

#include "attend/ops/attention/attention_parts.h"
#include "ops/op_case.h"
#include "ops/operands.h"

namespace attend {

namespace {

using Inputs = const std::vector<Variable>&;

constexpr int kPartHeads = 2;
constexpr float kPartBeta = 0.9f;

// Three sequences of 2, 0 and 1 queries, 3, 2 and 1 keys: 7 pairs. And a causal one of 3 tokens.
const Ids& queries() {
  static const Ids offsets = ids({0, 2, 2, 3});
  return offsets;
}
AttentionLayout part_layout(const Ids& of_queries, const Ids& of_keys) {
  return {
      .query_offsets = of_queries, .key_offsets = of_keys, .heads = kPartHeads, .scale = kPartBeta};
}
AttentionLayout ragged() { return part_layout(queries(), ids({0, 3, 5, 6})); }
AttentionLayout causal() {
  AttentionLayout triangle = part_layout(ids({0, 3}), ids({0, 3}));
  triangle.causal = true;
  return triangle;
}

AttentionLayout with_bias() {
  const float forbidden = -std::numeric_limits<float>::infinity();
  AttentionLayout biased =
      part_layout(ids({0, 2}), ids({0, 3}));  // the second query may see nothing
  biased.bias = Tensor::from(
      std::vector<float>{0.5f, forbidden, -1.0f, forbidden, forbidden, forbidden}, {6});
  return biased;
}

OpCase scores(const char* name, const AttentionLayout& seen, std::int64_t q, std::int64_t k) {
  return {name, {{{q, 6}}, {{k, 6}}}, [=](Inputs x) { return attention_scores(x[0], x[1], seen); }};
}

OpCase additive(const char* name, const AttentionLayout& seen, std::int64_t q, std::int64_t k) {
  return {name, {{{q, 6}}, {{k, 6}}, {{1, 6}}}, [=](Inputs x) {
            return additive_attention_scores(x[0], x[1], x[2], seen);
          }};
}

OpCase weights(const char* name, const AttentionLayout& seen, std::int64_t pairs) {
  return {name, {{{kPartHeads * pairs}}}, [=](Inputs x) { return attention_weights(x[0], seen); }};
}

OpCase sums(const char* name, const AttentionLayout& seen, std::int64_t pairs, std::int64_t k) {
  return {name, {{{kPartHeads * pairs}, 0.5f}, {{k, 4}, 0.5f}}, [=](Inputs x) {
            return attention_sum(x[0], x[1], seen);
          }};
}

}  // namespace

std::vector<OpCase> attention_part_op_cases() {
  const AttentionLayout none = part_layout(ids({0, 0}), ids({0, 0}));
  return {
      scores("attention_scores", ragged(), 3, 6),
      scores("attention_scores_of_nothing", none, 0, 0),
      {"attention_scores_of_itself",
       {{{3, 6}}},
       [](Inputs x) { return attention_scores(x[0], x[0], causal()); }},
      additive("additive_attention_scores", ragged(), 3, 6),
      additive("additive_attention_scores_of_nothing", none, 0, 0),
      {"additive_attention_scores_of_itself",
       {{{3, 6}}, {{1, 6}}},
       [](Inputs x) { return additive_attention_scores(x[0], x[0], x[1], causal()); }},
      weights("attention_weights", ragged(), 7),
      weights("attention_weights_causal", causal(), 9),
      weights("attention_weights_with_a_bias", with_bias(), 6),
      weights("attention_weights_of_nothing", none, 0),
      sums("attention_sum", ragged(), 7, 6),
      sums("attention_sum_of_nothing", none, 0, 0),
      // The arg max does not move with a small step: the gradient goes to the chosen value alone,
      // which is the Jacobian.
      {"attention_weights_hard_and_its_values",
       {{{6, 4}}},
       [](Inputs x) {
         const Tensor fixed =
             Tensor::from(std::vector<float>{1, 3, 2, 0, 0, 5, 4, 1, 4, 2, 2, 2, 7, -1}, {14});
         const Variable chosen =
             attention_weights(Variable(fixed), ragged(), AttentionChoice::hard);
         return attention_sum(chosen, x[0], ragged());
       }},
  };
}

}  // namespace attend
