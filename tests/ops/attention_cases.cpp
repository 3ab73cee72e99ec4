#include <limits>

#include "attend/ops/attention/attention.h"
#include "ops/op_case.h"
#include "ops/operands.h"

namespace attend {

namespace {

using Inputs = const std::vector<Variable>&;

constexpr int kHeads = 2;
constexpr float kBeta = 0.9f;  // any inverse temperature; 1/sqrt(3) would be usual here

AttentionLayout layout(const Ids& queries, const Ids& keys, bool causal = false, Tensor bias = {}) {
  return {queries, keys, {}, causal, std::move(bias), kHeads, kBeta};
}

// q [N, 2*3], k [M, 2*3], v [M, 2*2]: keys and values of different widths.
std::vector<Operand> separate(std::int64_t queries, std::int64_t keys) {
  return {{{queries, 6}}, {{keys, 6}}, {{keys, 4}}};
}

OpCase with_separate_inputs(const char* what, std::int64_t queries, std::int64_t keys,
                            const AttentionLayout& seen) {
  return {std::string("scaled_dot_product_attention_") + what, separate(queries, keys),
          [=](Inputs x) {
            return scaled_dot_product_attention({x[0], x[1], x[2]}, seen);
          }};
}

OpCase with_columns(const char* what, std::int64_t width,
                    std::function<Variable(const Variable&, const AttentionLayout&)> run) {
  const Ids offsets = ids({0, 2, 2, 3, 6});
  return {std::string("scaled_dot_product_attention_") + what, {{{6, width}}}, [=](Inputs x) {
            return run(x[0], layout(offsets, offsets));
          }};
}

// Q, K and V as columns of one variable: next to each other, in another order, overlapping, or with
// columns that nobody uses.
void add_column_cases(std::vector<OpCase>& cases) {
  cases.push_back(
      with_columns("of_one_product", 16, [](const Variable& x, const AttentionLayout& seen) {
        return scaled_dot_product_attention({{x, 0, 6}, {x, 6, 12}, {x, 12, 16}}, seen);
      }));
  cases.push_back(with_columns(
      "of_one_product_in_another_order", 16, [](const Variable& x, const AttentionLayout& seen) {
        return scaled_dot_product_attention({{x, 10, 16}, {x, 4, 10}, {x, 0, 4}}, seen);
      }));
  cases.push_back(
      with_columns("of_some_columns", 20, [](const Variable& x, const AttentionLayout& seen) {
        return scaled_dot_product_attention({{x, 1, 7}, {x, 7, 13}, {x, 15, 19}}, seen);
      }));
  cases.push_back(
      with_columns("of_one_variable", 6, [](const Variable& x, const AttentionLayout& seen) {
        return scaled_dot_product_attention({x, x, x}, seen);
      }));
  cases.push_back(with_columns(
      "with_equal_keys_and_values", 12, [](const Variable& x, const AttentionLayout& seen) {
        return scaled_dot_product_attention({{x, 0, 6}, {x, 6, 12}, {x, 6, 12}}, seen);
      }));
  cases.push_back(with_columns(
      "of_overlapping_columns", 10, [](const Variable& x, const AttentionLayout& seen) {
        return scaled_dot_product_attention({{x, 0, 6}, {x, 2, 8}, {x, 6, 10}}, seen);
      }));
}

}  // namespace

std::vector<OpCase> attention_op_cases() {
  const float forbidden = -std::numeric_limits<float>::infinity();
  const Ids ragged = ids({0, 3, 3, 4, 6}), memory = ids({0, 2, 3, 3, 6}), one = ids({0, 1}),
            none = ids({0, 0});
  const Tensor additive =
      Tensor::from(std::vector<float>{0.5f, -1.0f, 2.0f, 0.0f, -0.3f, 1.1f}, {6});
  // Of 2 queries and 3 keys; then one where the second query may see nothing.
  const Tensor boolean = mask_bias({true, false, true, false, true, true});
  const Tensor blind =
      Tensor::from(std::vector<float>{0.0f, 0.5f, forbidden, forbidden, forbidden, forbidden}, {6});
  const Ids two = ids({0, 2}), three = ids({0, 3});
  AttentionLayout dropping = layout(ragged, ragged);
  dropping.dropout = {0.4f, {3, 4}};
  AttentionLayout capped_window = layout(ragged, memory, true);
  capped_window.window = 2;
  capped_window.cap = 0.6f;
  std::vector<OpCase> cases{
      with_separate_inputs("in_a_capped_window", 6, 6, capped_window),
      with_separate_inputs("to_itself", 6, 6, layout(ragged, ragged)),
      with_separate_inputs("causal", 6, 6, layout(ragged, ragged, true)),
      with_separate_inputs(
          "to_a_memory", 6, 6,
          layout(ragged, memory)),  // one sequence without queries, one without keys
      with_separate_inputs("causal_with_blind_queries", 6, 6, layout(ragged, memory, true)),
      with_separate_inputs("of_one_token", 1, 1, layout(one, one)),
      with_separate_inputs("of_nothing", 0, 0, layout(none, none)),
      with_separate_inputs("with_an_additive_mask", 2, 3, layout(two, three, false, additive)),
      with_separate_inputs("with_a_boolean_mask", 2, 3, layout(two, three, false, boolean)),
      with_separate_inputs("with_a_blind_query", 2, 3, layout(two, three, false, blind)),
      with_separate_inputs("with_both_masks", 2, 3, layout(two, three, true, additive)),
      with_separate_inputs("and_dropout", 6, 6, dropping),
  };
  for (const bool causal : {false, true})
    cases.push_back({std::string("scaled_dot_product_attention_with_biases_by_distance") +
                         (causal ? "_causal" : ""),
                     {{{6, 6}}, {{6, 6}}, {{6, 4}}, {{5, kHeads}}},
                     [=](Inputs x) {
                       return scaled_dot_product_attention({x[0], x[1], x[2], x[3]},
                                                           layout(ragged, memory, causal));
                     }});
  add_column_cases(cases);
  return cases;
}

}  // namespace attend
