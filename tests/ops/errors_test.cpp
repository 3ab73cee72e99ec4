// Operands that do not fit are refused by an error that names the op and both shapes, and nothing
// is computed.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "attend/backend/backend.h"
#include "attend/error.h"
#include "attend/ops/attention/attention.h"
#include "attend/ops/attention/rotary.h"
#include "attend/ops/elementwise.h"
#include "attend/ops/feed_forward.h"
#include "attend/ops/layer_norm.h"
#include "attend/ops/linear.h"
#include "attend/ops/losses/cross_entropy.h"
#include "attend/ops/pooling.h"
#include "attend/ops/softmax.h"
#include "ops/operands.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

struct Mistake {
  std::string op;
  std::string shape, other;  // both must be in the message
  std::function<void()> call;
};

Variable var(const Shape& shape) { return Variable(Tensor::zeros(shape), true); }

LayerNormParameters affine(const Shape& gamma, const Shape& beta) {
  return {var(gamma), var(beta)};
}

std::vector<Mistake> simple_mistakes() {
  const Variable x = var({4, 3});
  return {
      {"add", "[4, 3]", "[3, 4]",
       [=] {
         add(x, var({3, 4}));
       }},
      {"add", "[4, 3]", "[4]", [=] { add(x, var({4})); }},
      {"multiply", "[4, 3]", "[4, 3, 1]",
       [=] {
         multiply(x, var({4, 3, 1}));
       }},
      {"softmax", "[12]", "", [=] { softmax(var({12})); }},
      {"log_softmax", "[2, 3, 2]", "",
       [=] {
         log_softmax(var({2, 3, 2}));
       }},
      {"linear", "[4, 3]", "[5, 4]",
       [=] {
         linear(x, var({5, 4}));
       }},
      {"linear", "[12]", "[5, 4]",
       [=] {
         linear(var({12}), var({5, 4}));
       }},
      {"linear", "[4, 3]", "[3]", [=] { linear(x, var({3})); }},
      {"linear", "[5, 3]", "[4]",
       [=] {
         linear(x, var({5, 3}), var({4}));
       }},
      {"feed_forward", "[4, 3]", "[5, 4]",
       [=] {
         feed_forward(x, {var({5, 4}), {}}, {var({2, 5}), {}}, {Activation::relu});
       }},
      {"feed_forward", "[5, 3]", "[2, 4]",
       [=] {
         feed_forward(x, {var({5, 3}), {}}, {var({2, 4}), {}}, {Activation::relu});
       }},
      {"feed_forward", "[5, 3]", "[4]",
       [=] {
         feed_forward(x, {var({5, 3}), var({4})}, {var({2, 5}), {}}, {Activation::relu});
       }},
      {"feed_forward", "[2, 5]", "[5]",
       [=] {
         feed_forward(x, {var({5, 3}), {}}, {var({2, 5}), var({5})}, {Activation::relu});
       }},
      {"linear", "[5, 3]", "[1, 5]",
       [=] {
         linear(x, var({5, 3}), var({1, 5}));
       }},
      {"matmul", "[4, 3]", "[4, 5]",
       [=] {
         matmul(x, var({4, 5}));
       }},
      {"matmul", "[4, 3]", "[3, 5]",
       [=] {
         matmul(x, var({3, 5}), true);
       }},
      {"matmul", "[12]", "[3, 5]",
       [=] {
         matmul(var({12}), var({3, 5}));
       }},
      {"matmul", "[4, 3]", "[3]", [=] { matmul(x, var({3})); }},
      {"layer_norm", "[4, 3]", "[4]", [=] { layer_norm(x, affine({4}, {3})); }},
      {"layer_norm", "[4, 3]", "[1, 3]",
       [=] {
         layer_norm(x, affine({3}, {1, 3}));
       }},
      {"layer_norm", "[12]", "[12]", [=] { layer_norm(var({12}), affine({12}, {12})); }},
      {"rotate", "[4, 3]", "[2, 4]",
       [=] {
         rotate(x, {4, Tensor::zeros({2, 4}), ids({0, 0, 0, 0})});
       }},
      {"repeat_groups", "2 columns", "[4, 3]", [=] { repeat_groups(x, 2, 2); }},
      {"feed_forward", "[5, 3]", "[6, 3]",
       [=] {
         feed_forward(x, {var({5, 3}), {}}, {var({2, 5}), {}}, {Activation::swish},
                      {var({6, 3}), {}});
       }},
      {"residual_layer_norm", "[4, 3]", "[5, 3]",
       [=] {
         residual_layer_norm(x, var({5, 3}), {}, affine({3}, {3}));
       }},
      {"residual_layer_norm", "[4, 3]", "[2]",
       [=] { residual_layer_norm(x, x, {}, affine({3}, {2})); }},
      {"embedding", "[4, 3]", "[9, 2]",
       [=] {
         embedding(x, ids({0, 1}), 1.0f, {var({9, 2}), ids({0, 1})});
       }},
      {"embedding", "[4, 3]", "[9]",
       [=] {
         embedding(x, ids({0, 1}), 1.0f, {var({9}), ids({0, 1})});
       }},
      {"embedding", "[2, 3]", "[1]",
       [=] {
         embedding(x, ids({0, 1}), 1.0f, {var({9, 3}), ids({0})});
       }},
      {"embedding", "[2, 3]", "[0]",
       [=] {
         embedding(x, ids({0, 1}), 1.0f, {var({9, 3}), {}});
       }},
      {"embedding", "[12]", "", [=] { embedding(var({12}), ids({0}), 1.0f); }},
      {"pool", "[12]", "",
       [=] {
         pool(var({12}), ids({0, 12}), Pooling::mean);
       }},
      {"pool", "[4, 3]", "[2] from 0 to 3",
       [=] {
         pool(x, ids({0, 3}), Pooling::mean);
       }},
      {"pool", "[4, 3]", "[2] from 1 to 4",
       [=] {
         pool(x, ids({1, 4}), Pooling::max);
       }},
      {"pool", "[4, 3]", "[4] with 2 followed by 2",
       [=] {
         pool(x, ids({0, 2, 2, 4}), Pooling::first);
       }},
      {"pool", "offsets [B+1]", "got none", [=] { pool(x, ids({}), Pooling::max); }},
      {"gather_rows", "[12]", "", [=] { gather_rows(var({12}), ids({0})); }},
      {"scatter_rows", "[4, 3]", "[2]",
       [=] {
         scatter_rows(var({4, 3}), ids({0, 1}), 2);
       }},
      {"scale_rows", "[4, 3]", "[3, 1]",
       [=] {
         scale_rows(var({4, 3}), var({3, 1}));
       }},
  };
}

std::vector<Mistake> loss_mistakes() {
  const Variable x = var({4, 3}), weight = var({5, 3});
  const Ids targets = ids({0, 1, 2, 0});
  return {
      {"cross_entropy", "[4, 3]", "[3]",
       [=] {
         cross_entropy(x, ids({0, 1, 2}));
       }},
      {"cross_entropy", "[4, 3]", "[4]",
       [=] {
         cross_entropy(x, targets, {0.0f, 0.0, Tensor::zeros({4})});
       }},
      {"cross_entropy", "[12]", "", [=] { cross_entropy(var({12}), targets); }},
      {"projected_cross_entropy", "[4, 3]", "[3, 5]",
       [=] {
         projected_cross_entropy(x, {var({3, 5}), {}}, targets);
       }},
      {"projected_cross_entropy", "[12]", "[5, 3]",
       [=] {
         projected_cross_entropy(var({12}), {weight, {}}, targets);
       }},
      {"projected_cross_entropy", "[5, 3]", "[4]",
       [=] {
         projected_cross_entropy(x, {weight, var({4})}, targets);
       }},
      {"projected_cross_entropy", "[4, 3]", "[5]",
       [=] {
         projected_cross_entropy(x, {weight, {}}, ids({0, 0, 0, 0, 0}));
       }},
      {"paired_cross_entropy", "[4, 3]", "[3, 5]",
       [=] {
         paired_cross_entropy(x, {var({3, 5}), {}}, ids({0, 1}), 1.0f);
       }},
      {"paired_cross_entropy", "[4, 3]", "[4]",
       [=] {
         paired_cross_entropy(x, {weight, {}}, targets, 1.0f);
       }},
      {"target_log_probabilities", "[4, 3]", "[5, 4]",
       [=] {
         target_log_probabilities(x.value(), {Tensor::zeros({5, 4}), {}}, *targets);
       }},
      {"target_log_probabilities", "[4, 3]", "[1]",
       [=] {
         target_log_probabilities(x.value(), {weight.value(), {}}, *Ids{0});
       }},
  };
}

struct Attention {
  Shape q{6, 8}, k{6, 8}, v{6, 4};
  std::vector<std::int32_t> queries{0, 2, 6}, keys{0, 1, 6};
  int heads = 2;
  Tensor bias = {};
  float dropout = 0.0f;
  Ids key_sequence = {};
  Shape by_distance = {};

  void operator()() const {
    const Variable distances = by_distance.rank() > 0 ? var(by_distance) : Variable();
    scaled_dot_product_attention(
        {var(q), var(k), var(v), distances},
        {ids(queries), ids(keys), key_sequence, false, bias, heads, 1.0f, {dropout, {}}});
  }
};

std::vector<Mistake> attention_mistakes() {
  const std::string op = "scaled_dot_product_attention";
  return {
      {op, "[6, 8]", "[6, 6]", Attention{.k = {6, 6}}},
      {op, "[6, 8]", "[5, 4]", Attention{.v = {5, 4}}},
      {op, "[48]", "[6, 8]", Attention{.q = {48}}},
      {op, "[6, 8]", "[24]", Attention{.v = {24}}},
      {op, "[6, 8]", "[6, 4]", Attention{.heads = 3}},
      {op, "[6, 8]", "[6, 4]", Attention{.heads = 8}},
      {op, "[6, 8]", "[6, 4]", Attention{.heads = 0}},
      {op, "[6, 8]", "[3] from 0 to 5", Attention{.queries = {0, 2, 5}}},
      {op, "[6, 8]", "[3] from 1 to 6", Attention{.queries = {1, 2, 6}}},
      {op, "[6, 8]", "[4] from 0 to 6", Attention{.keys = {0, 4, 2, 6}}},
      {op, "query offsets", "got none", Attention{.queries = {}}},
      {op, "[2]", "[1]", Attention{.keys = {0, 6}}},
      {op, "14 elements for q [6, 8] and k [6, 8]", "got [22]",
       Attention{.keys = {0, 5, 6}, .bias = Tensor::zeros({22})}},
      {op, "[2R+1, 2]", "[5, 4]", Attention{.by_distance = {5, 4}}},
      {op, "[2R+1, 2]", "[4, 2]", Attention{.by_distance = {4, 2}}},
      {op, "[2R+1, 2]", "[10]", Attention{.by_distance = {10}}},
      {op, "[2]", "[3]", Attention{.key_sequence = ids({0, 1, 1})}},
      {op, "2 key sequences", "got 2", Attention{.key_sequence = ids({0, 2})}},
      {op, "2 key sequences", "got -1", Attention{.key_sequence = ids({-1, 0})}},
      {op, "no gradients", "share keys", Attention{.key_sequence = ids({1, 1})}},
  };
}

void expect_refusals(const std::vector<Mistake>& mistakes) {
  for (const Mistake& mistake : mistakes) {
    SCOPED_TRACE(mistake.op + " of " + mistake.shape + " and " + mistake.other);
    expect_error<ShapeError>(mistake.call,
                             {"[" + mistake.op + "] expected", mistake.shape, mistake.other});
  }
}

TEST(WrongShapes, AreRefusedByTheSimpleOps) { expect_refusals(simple_mistakes()); }
TEST(WrongShapes, AreRefusedByTheLosses) { expect_refusals(loss_mistakes()); }
TEST(WrongShapes, AreRefusedByAttention) { expect_refusals(attention_mistakes()); }

TEST(WrongShapes, OfColumnsAreRefused) {
  const Variable x = var({6, 8});
  const AttentionLayout layout{ids({0, 6}), ids({0, 6})};
  expect_error<ShapeError>(
      [&] {
        scaled_dot_product_attention({{x, 4, 9}, x, x}, layout);
      },
      {"4..9", "[6, 8]"});
}

TEST(WrongElements, AreRefused) {
  const Variable integers(Tensor::zeros({4, 3}, DType::i32));
  expect_error<ShapeError>([&] { add(integers, integers); }, {"F32", "I32"});
  expect_error<ShapeError>([&] { linear(var({4, 3}), integers); }, {"F32", "I32"});
  expect_error<ShapeError>([&] { embedding(integers, ids({0}), 1.0f); }, {"F32", "I32"});
  const Variable packed(backend()->pack_weights(Tensor::zeros({16, 4})));
  expect_error<ShapeError>([&] { gather_rows(packed, ids({3})); }, {"[gather_rows]", "packed F32"});
  expect_error<ShapeError>(
      [&] {
        matmul(var({2, 4}), packed, /*transpose_b=*/true);
      },
      {"packed F32"});
}

TEST(WrongNumbers, OutsideATableAreRefused) {
  const Variable table = var({4, 3});
  expect_error<ShapeError>(
      [&] {
        embedding(table, ids({0, 4}), 1.0f);
      },
      {"[embedding]", "0..3", "[4, 3]", "0..4"});
  expect_error<ShapeError>(
      [&] {
        embedding(table, ids({2, -1}), 1.0f);
      },
      {"[embedding]", "[4, 3]", "-1..2"});
  expect_error<ShapeError>(
      [&] {
        embedding(table, ids({0}), 1.0f, {var({2, 3}), ids({2})});
      },
      {"[embedding]", "[2, 3]", "2..2"});
  expect_error<ShapeError>([&] { gather_rows(table, ids({7})); },
                           {"[gather_rows]", "[4, 3]", "7..7"});
  expect_error<ShapeError>(
      [&] {
        scatter_rows(table, ids({0, 1, 2, 3}), 3);
      },
      {"[scatter_rows]", "[3, 3]", "0..3"});
}

TEST(WrongNumbers, OutsideTheClassesAreRefused) {
  const Variable x = var({2, 3});
  expect_error<ShapeError>(
      [&] {
        cross_entropy(x, ids({0, 3}));
      },
      {"[cross_entropy]", "0..2", "got 3"});
  expect_error<ShapeError>(
      [&] {
        cross_entropy(x, ids({-1, 0}));
      },
      {"[cross_entropy]", "0..2", "got -1"});
  expect_error<ShapeError>(
      [&] {
        projected_cross_entropy(x, {var({9, 3}), {}}, ids({0, 9}));
      },
      {"[projected_cross_entropy]", "0..8", "9"});
  expect_error<ShapeError>(
      [&] {
        paired_cross_entropy(x, {var({9, 3}), {}}, ids({9}), 1.0f);
      },
      {"[paired_cross_entropy]", "0..8", "got 9"});
  expect_error<ShapeError>(
      [&] {
        target_log_probabilities(x.value(), {Tensor::zeros({9, 3}), {}}, *ids({9, 0}));
      },
      {"0..8", "got 9"});
}

TEST(WrongNumbers, ANegativeDivergenceIsRefused) {
  expect_error<ConfigError>(
      [] {
        paired_cross_entropy(var({2, 3}), {var({9, 3}), {}}, ids({0}), -1.0f);
      },
      {"[paired_cross_entropy]", "-1"});
}

TEST(WrongNumbers, ThatAreNoProbabilitiesAreRefused) {
  const Variable x = var({4, 3});
  for (const float p : {-0.1f, 1.0f, 0.999999f, 1.5f, NAN}) {
    SCOPED_TRACE(p);
    const Dropout drop{p, {}};
    expect_error<ConfigError>([&] { dropout(x, drop); }, {"[dropout]", "[0, 1 - 2^-17)"});
    expect_error<ConfigError>([&] { embedding(x, ids({0}), 1.0f, {}, drop); },
                              {"[embedding]", "[0, 1 - 2^-17)"});
    expect_error<ConfigError>([&] { residual_layer_norm(x, x, drop, affine({3}, {3})); },
                              {"[residual_layer_norm]", "[0, 1 - 2^-17)"});
    expect_error<ConfigError>(Attention{.dropout = p},
                              {"[scaled_dot_product_attention]", "[0, 1 - 2^-17)"});
  }
}

TEST(WrongNumbers, ThatAreNoSmoothingAreRefused) {
  const Variable x = var({2, 3});
  for (const float smoothing : {-0.1f, 1.1f, NAN}) {
    expect_error<ConfigError>(
        [&] {
          cross_entropy(x, ids({0, 1}), {smoothing, 0.0});
        },
        {"[cross_entropy]", "[0, 1]"});
    expect_error<ConfigError>(
        [&] {
          projected_cross_entropy(x, {x, {}}, ids({0, 1}), {smoothing, 0.0});
        },
        {"[projected_cross_entropy]"});
  }
}

}  // namespace
}  // namespace attend
