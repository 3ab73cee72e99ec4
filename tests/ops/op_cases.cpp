#include "ops/op_case.h"

#include "attend/ops/attention/rotary.h"
#include "attend/ops/elementwise.h"
#include "attend/ops/embedding.h"
#include "attend/ops/feed_forward.h"
#include "attend/ops/layer_norm.h"
#include "attend/ops/linear.h"
#include "attend/ops/losses/cross_entropy.h"
#include "attend/ops/losses/distillation.h"
#include "attend/ops/losses/sampled_cross_entropy.h"
#include "attend/ops/losses/target_losses.h"
#include "attend/ops/pooling.h"
#include "attend/ops/softmax.h"
#include "ops/operands.h"

namespace attend {

namespace {

using Inputs = const std::vector<Variable>&;

constexpr Dropout kDropout{0.4f, {1, 2}};

}  // namespace

std::vector<OpCase> elementwise_op_cases() {
  const Operand matrix{{3, 5}}, none{{0, 5}}, cube{{2, 3, 4}}, kinked{{3, 5}, 1.0f, 0.1f};
  return {
      {"add", {matrix, matrix}, [](Inputs x) { return add(x[0], x[1]); }},
      {"add_to_itself", {matrix}, [](Inputs x) { return add(x[0], x[0]); }},
      {"add_of_rank_three", {cube, cube}, [](Inputs x) { return add(x[0], x[1]); }},
      {"add_nothing", {none, none}, [](Inputs x) { return add(x[0], x[1]); }},
      {"multiply", {matrix, matrix}, [](Inputs x) { return multiply(x[0], x[1]); }},
      {"multiply_by_itself", {matrix}, [](Inputs x) { return multiply(x[0], x[0]); }},
      {"scale", {matrix}, [](Inputs x) { return scale(x[0], -0.7f); }},
      {"scale_by_zero", {matrix}, [](Inputs x) { return scale(x[0], 0.0f); }},
      {"scale_rows", {matrix, {{3, 1}}}, [](Inputs x) { return scale_rows(x[0], x[1]); }},
      {"scale_rows_of_one_column_by_themselves",
       {{{4, 1}}},
       [](Inputs x) { return scale_rows(x[0], x[0]); }},
      {"scale_rows_none", {none, {{0, 1}}}, [](Inputs x) { return scale_rows(x[0], x[1]); }},
      {"activate_none", {matrix}, [](Inputs x) { return activate(x[0], Activation::none); }},
      {"activate_relu", {kinked}, [](Inputs x) { return activate(x[0], Activation::relu); }},
      {"activate_gelu", {matrix}, [](Inputs x) { return activate(x[0], Activation::gelu); }},
      {"activate_tanh", {matrix}, [](Inputs x) { return activate(x[0], Activation::tanh); }},
      {"activate_swish", {matrix}, [](Inputs x) { return activate(x[0], Activation::swish); }},
      {"activate_gelu_tanh",
       {matrix},
       [](Inputs x) { return activate(x[0], Activation::gelu_tanh); }},
      {"activate_quick_gelu",
       {matrix},
       [](Inputs x) { return activate(x[0], Activation::quick_gelu); }},
      {"dropout", {matrix}, [](Inputs x) { return dropout(x[0], kDropout); }},
      {"dropout_of_nothing", {none}, [](Inputs x) { return dropout(x[0], kDropout); }},
      {"dropout_never", {matrix}, [](Inputs x) { return dropout(x[0], {}); }},
      {"sum", {matrix}, [](Inputs x) { return sum(x[0]); }},
      {"sum_of_nothing", {none}, [](Inputs x) { return sum(x[0]); }},
      {"softmax", {matrix}, [](Inputs x) { return softmax(x[0]); }},
      {"softmax_at_a_temperature", {matrix}, [](Inputs x) { return softmax(x[0], 0.6f); }},
      {"softmax_of_one_column", {{{3, 1}}}, [](Inputs x) { return softmax(x[0]); }},
      {"softmax_of_nothing", {none}, [](Inputs x) { return softmax(x[0]); }},
      {"log_softmax", {matrix}, [](Inputs x) { return log_softmax(x[0]); }},
      {"log_softmax_of_nothing", {none}, [](Inputs x) { return log_softmax(x[0]); }},
  };
}

std::vector<OpCase> product_op_cases() {
  const Operand x{{4, 3}}, weight{{5, 3}, 0.2f},
      bias{{5}, 0.3f, 1.5f};  // the bias keeps relu's input away from 0
  const Operand outer{{2, 5}}, outer_bias{{2}};
  return {
      {"linear", {x, weight, bias}, [](Inputs in) { return linear(in[0], in[1], in[2]); }},
      {"linear_without_bias", {x, weight}, [](Inputs in) { return linear(in[0], in[1]); }},
      {"linear_relu",
       {x, weight, bias},
       [](Inputs in) { return linear(in[0], in[1], in[2], {Activation::relu}); }},
      {"linear_gelu",
       {x, weight, bias},
       [](Inputs in) { return linear(in[0], in[1], in[2], {Activation::gelu}); }},
      {"linear_tanh",
       {x, weight, bias},
       [](Inputs in) { return linear(in[0], in[1], in[2], {Activation::tanh}); }},
      {"linear_of_one_row",
       {{{1, 3}}, weight, bias},
       [](Inputs in) { return linear(in[0], in[1], in[2], {Activation::gelu}); }},
      {"linear_of_nothing",
       {{{0, 3}}, weight, bias},
       [](Inputs in) { return linear(in[0], in[1], in[2], {Activation::gelu}); }},
      {"feed_forward",
       {x, weight, bias, outer, outer_bias},
       [](Inputs in) {
         return feed_forward(in[0], {in[1], in[2]}, {in[3], in[4]}, {Activation::relu});
       }},
      {"feed_forward_gelu",
       {x, weight, bias, outer, outer_bias},
       [](Inputs in) {
         return feed_forward(in[0], {in[1], in[2]}, {in[3], in[4]}, {Activation::gelu});
       }},
      {"feed_forward_without_biases",
       {x, weight, outer},
       [](Inputs in) {
         return feed_forward(in[0], {in[1], {}}, {in[2], {}}, {Activation::tanh});
       }},
      {"feed_forward_gated_by_swish",
       {x, weight, bias, weight, bias, outer, outer_bias},
       [](Inputs in) {
         return feed_forward(in[0], {in[1], in[2]}, {in[5], in[6]}, {Activation::swish},
                             {in[3], in[4]});
       }},
      {"feed_forward_gated_unbiased_and_dropout",
       {x, weight, weight, outer},
       [](Inputs in) {
         return feed_forward(in[0], {in[1], {}}, {in[3], {}}, {Activation::gelu_tanh, kDropout},
                             {in[2], {}});
       }},
      {"feed_forward_gated_of_one_input",
       {x, weight, outer},
       [](Inputs in) {
         return feed_forward(in[0], {in[1], {}}, {in[2], {}}, {Activation::tanh}, {in[1], {}});
       }},
      {"feed_forward_with_dropout",
       {x, weight, bias, outer, outer_bias},
       [](Inputs in) {
         return feed_forward(in[0], {in[1], in[2]}, {in[3], in[4]}, {Activation::relu, kDropout});
       }},
      {"feed_forward_gelu_with_dropout",
       {x, weight, bias, outer, outer_bias},
       [](Inputs in) {
         return feed_forward(in[0], {in[1], in[2]}, {in[3], in[4]}, {Activation::gelu, kDropout});
       }},
      {"feed_forward_of_nothing",
       {{{0, 3}}, weight, bias, outer, outer_bias},
       [](Inputs in) {
         return feed_forward(in[0], {in[1], in[2]}, {in[3], in[4]}, {Activation::gelu});
       }},
      {"linear_of_its_weight", {weight}, [](Inputs in) { return linear(in[0], in[0]); }},
      {"matmul", {{{4, 3}}, {{3, 5}}}, [](Inputs in) { return matmul(in[0], in[1]); }},
      {"matmul_transposed",
       {{{4, 3}}, {{5, 3}}},
       [](Inputs in) { return matmul(in[0], in[1], true); }},
      {"matmul_with_itself", {{{3, 3}}}, [](Inputs in) { return matmul(in[0], in[0]); }},
      {"matmul_with_itself_transposed",
       {{{4, 3}}},
       [](Inputs in) { return matmul(in[0], in[0], true); }},
      {"matmul_of_nothing", {{{0, 3}}, {{3, 5}}}, [](Inputs in) { return matmul(in[0], in[1]); }},
      {"matmul_over_nothing", {{{4, 0}}, {{0, 5}}}, [](Inputs in) { return matmul(in[0], in[1]); }},
  };
}

std::vector<OpCase> normalization_op_cases() {
  const Operand x{{3, 6}}, affine{{6}}, none{{0, 6}};
  constexpr float kEpsilon = 1e-2f;
  return {
      {"layer_norm",
       {x, affine, affine},
       [](Inputs in) {
         return layer_norm(in[0], {in[1], in[2], kEpsilon});
       }},
      {"layer_norm_of_one_row",
       {{{1, 6}}, affine, affine},
       [](Inputs in) {
         return layer_norm(in[0], {in[1], in[2], kEpsilon});
       }},
      {"layer_norm_of_nothing",
       {none, affine, affine},
       [](Inputs in) {
         return layer_norm(in[0], {in[1], in[2], kEpsilon});
       }},
      {"layer_norm_of_one_column",
       {{{3, 1}, 0.05f}, {{1}}, {{1}}},
       [](Inputs in) {
         return layer_norm(in[0], {in[1], in[2], kEpsilon});
       }},
      {"rms_norm",
       {x, affine},
       [](Inputs in) {
         return layer_norm(in[0], {in[1], {}, kEpsilon});
       }},
      {"residual_rms_norm_and_dropout",
       {x, x, affine},
       [](Inputs in) {
         return residual_layer_norm(in[0], in[1], kDropout, {in[2], {}, kEpsilon});
       }},
      {"layer_norm_with_one_vector",
       {x, affine},
       [](Inputs in) {
         return layer_norm(in[0], {in[1], in[1], kEpsilon});
       }},
      {"residual_layer_norm",
       {x, x, affine, affine},
       [](Inputs in) {
         return residual_layer_norm(in[0], in[1], {}, {in[2], in[3], kEpsilon});
       }},
      {"residual_layer_norm_and_dropout",
       {x, x, affine, affine},
       [](Inputs in) {
         return residual_layer_norm(in[0], in[1], kDropout, {in[2], in[3], kEpsilon});
       }},
      {"residual_layer_norm_of_its_input",
       {x, affine, affine},
       [](Inputs in) {
         return residual_layer_norm(in[0], in[0], kDropout, {in[1], in[2], kEpsilon});
       }},
      {"residual_layer_norm_of_nothing",
       {none, none, affine, affine},
       [](Inputs in) {
         return residual_layer_norm(in[0], in[1], kDropout, {in[2], in[3], kEpsilon});
       }},
  };
}

std::vector<OpCase> lookup_op_cases() {
  const Operand table{{6, 4}}, positions{{3, 4}};
  const Ids tokens = ids({5, 0, 5, 2}), places = ids({0, 1, 2, 0}), none = ids({}),
            sequences = ids({0, 1, 6});
  return {
      {"rotate",
       {{{4, 11}}},
       [=](Inputs x) {
         const Tensor angles = Tensor::from(std::vector<float>{0.8f, 0.3f, 0.6f, -0.9f,  //
                                                               0.1f, 0.5f, -0.7f, 0.2f},
                                            {2, 4});
         return rotate(x[0], {8, angles, ids({1, 0, 1, 1})});
       }},
      {"repeat_groups", {{{3, 6}}}, [=](Inputs x) { return repeat_groups(x[0], 2, 3); }},
      {"embedding", {table}, [=](Inputs x) { return embedding(x[0], tokens, 1.7f); }},
      {"embedding_at_learned_positions",
       {table, positions},
       [=](Inputs x) {
         return embedding(x[0], tokens, 1.7f, {x[1], places});
       }},
      {"embedding_and_dropout",
       {table, positions},
       [=](Inputs x) {
         return embedding(x[0], tokens, 1.7f, {x[1], places}, kDropout);
       }},
      {"embedding_at_positions_of_its_table",
       {table},
       [=](Inputs x) {
         return embedding(x[0], tokens, 1.7f, {x[0], places});
       }},
      {"embedding_of_nothing",
       {table, positions},
       [=](Inputs x) {
         return embedding(x[0], none, 1.7f, {x[1], none});
       }},
      {"pool_max", {table}, [=](Inputs x) { return pool(x[0], sequences, Pooling::max); }},
      {"pool_mean", {table}, [=](Inputs x) { return pool(x[0], sequences, Pooling::mean); }},
      {"pool_first", {table}, [=](Inputs x) { return pool(x[0], sequences, Pooling::first); }},
      {"pool_last", {table}, [=](Inputs x) { return pool(x[0], sequences, Pooling::last); }},
      {"pool_mean_sqrt",
       {table},
       [=](Inputs x) { return pool(x[0], sequences, Pooling::mean_sqrt); }},
      {"pool_weighted_mean",
       {table},
       [=](Inputs x) { return pool(x[0], sequences, Pooling::weighted_mean); }},
      {"pool_nothing", {{{0, 4}}}, [=](Inputs x) { return pool(x[0], ids({0}), Pooling::max); }},
      {"gather_rows", {table}, [=](Inputs x) { return gather_rows(x[0], tokens); }},
      {"gather_rows_none", {table}, [=](Inputs x) { return gather_rows(x[0], none); }},
      {"scatter_rows",
       {{{5, 3}}},
       [=](Inputs x) {
         return scatter_rows(x[0], ids({2, 0, 2, 2, 3}), 6);
       }},
      {"scatter_rows_none", {{{0, 3}}}, [=](Inputs x) { return scatter_rows(x[0], none, 2); }},
  };
}

std::vector<OpCase> loss_op_cases() {
  const Operand logits{{4, 5}}, x{{4, 3}}, weight{{5, 3}}, bias{{5}};
  const Ids targets = ids({3, 0, 4, 3}), none = ids({});
  // Of the targets, 3 is always in the sample, 0 by chance, and 4 is not.
  const ClassSample sample{ids({0, 3, 2}), {0.9f, 0.0f, 1.6f}};
  return {
      {"sampled_cross_entropy",
       {x, weight},
       [=](Inputs in) {
         return sampled_cross_entropy(in[0], in[1], sample, targets, {0.0f, 2.5}).loss;
       }},
      {"sampled_cross_entropy_of_nothing",
       {{{0, 3}}, weight},
       [=](Inputs in) { return sampled_cross_entropy(in[0], in[1], sample, none).loss; }},
      {"binary_cross_entropy",
       {logits},
       [targets = std::vector<float>{1, 0, 0, 1, 1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 1}](
           Inputs in) {
         return binary_cross_entropy(in[0], targets, {0.1f, 2.5}).loss;
       }},
      {"binary_cross_entropy_soft",
       {logits},
       [](Inputs in) {
         Random random({3, 9});
         std::vector<float> targets;
         for (int i = 0; i < 20; ++i) targets.push_back(random.uniform());
         return binary_cross_entropy(in[0], targets, {.normalizer = 2.5}).loss;
       }},
      {"soft_cross_entropy",
       {logits},
       [](Inputs in) {
         Random random({3, 9});
         return soft_cross_entropy(in[0], normal_tensor({4, 5}, random), 2.5).loss;
       }},
      {"squared_error",
       {{{4, 1}}},
       [=](Inputs in) {
         return squared_error(in[0], Tensor::from(std::vector<float>{1, 0, -2, 0.5f}, {4, 1})).loss;
       }},
      {"cross_entropy", {logits}, [=](Inputs in) { return cross_entropy(in[0], targets).loss; }},
      {"cross_entropy_smoothed",
       {logits},
       [=](Inputs in) {
         return cross_entropy(in[0], targets, {0.1f, 2.5}).loss;
       }},
      {"cross_entropy_weighted",
       {logits},
       [=](Inputs in) {
         return cross_entropy(in[0], targets,
                              {0.1f, 2.5,
                               Tensor::from(std::vector<float>{1.0f, 0.5f, 0.0f, 2.0f, 3.0f}, {5})})
             .loss;
       }},
      {"cross_entropy_of_nothing",
       {{{0, 5}}},
       [=](Inputs in) { return cross_entropy(in[0], none).loss; }},
      {"distilled_cross_entropy",
       {logits},
       [=](Inputs in) {
         Random random({3, 9});
         return distilled_cross_entropy(in[0], normal_tensor({4, 5}, random), targets, 0.3f,
                                        {0.1f, 2.5})
             .loss;
       }},
      {"paired_distilled_cross_entropy",
       {{{8, 5}}},
       [=](Inputs in) {
         Random random({3, 9});
         return paired_distilled_cross_entropy(in[0], normal_tensor({4, 5}, random), targets, 0.3f,
                                               2, {0.1f, 2.5})
             .loss;
       }},
      {"projected_cross_entropy",
       {x, weight, bias},
       [=](Inputs in) {
         return projected_cross_entropy(in[0], {in[1], in[2]}, targets).loss;
       }},
      {"projected_cross_entropy_smoothed",
       {x, weight},
       [=](Inputs in) {
         return projected_cross_entropy(in[0], {in[1], {}}, targets, {0.1f, 2.5}).loss;
       }},
      {"projected_cross_entropy_of_capped_logits",
       {x, weight},
       [=](Inputs in) {
         CrossEntropyOptions options{0.1f, 2.5};
         options.logit_cap = 0.7f;
         return projected_cross_entropy(in[0], {in[1], {}}, targets, options).loss;
       }},
      {"paired_cross_entropy",
       {x, weight},
       [=](Inputs in) {
         return paired_cross_entropy(in[0], {in[1], {}}, ids({3, 0}), 5.0f, {0.1f, 2.5}).loss;
       }},
      {"paired_cross_entropy_biased",
       {x, weight, bias},
       [=](Inputs in) {
         return paired_cross_entropy(in[0], {in[1], in[2]}, ids({3, 0}), 2.0f, {0.1f, 2.5}).loss;
       }},
      {"paired_cross_entropy_of_nothing",
       {{{0, 3}}, weight},
       [=](Inputs in) {
         return paired_cross_entropy(in[0], {in[1], {}}, none, 1.0f).loss;
       }},
      {"projected_cross_entropy_of_nothing",
       {{{0, 3}}, weight, bias},
       [=](Inputs in) {
         return projected_cross_entropy(in[0], {in[1], in[2]}, none).loss;
       }},
  };
}

}  // namespace attend
