// A fused op equals the composition of simple ones that it stands for: values and gradients, on
// both backends.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "attend/backend/backend.h"
#include "attend/ops/attention/attention.h"
#include "attend/ops/elementwise.h"
#include "attend/ops/feed_forward.h"
#include "attend/ops/layer_norm.h"
#include "attend/ops/linear.h"
#include "attend/ops/losses/cross_entropy.h"
#include "attend/ops/softmax.h"
#include "backend/activations.h"
#include "backend/scoped_backend.h"
#include "ops/operands.h"

namespace attend {
namespace {

class Fusion : public testing::TestWithParam<Backend& (*)()> {
 protected:
  Variable leaf(const Shape& shape) { return Variable(normal_tensor(shape, random_), true); }

  Random random_{{5, 6}};

 private:
  ScopedBackend backend_{GetParam()()};
};

INSTANTIATE_TEST_SUITE_P(On, Fusion, testing::Values(&reference_backend, &fast_backend),
                         [](const auto& suite) {
                           return suite.param == &reference_backend ? "Reference" : "Fast";
                         });

Variable copy(const Variable& x) { return Variable(x.value().clone(), true); }

void expect_near(const Tensor& found, const Tensor& expected, double tolerance, const char* what) {
  ASSERT_EQ(found.shape(), expected.shape()) << what;
  EXPECT_LE(largest_difference(found, expected), tolerance) << what;
}

TEST_P(Fusion, LinearIsAProductABiasAndAnActivation) {
  for (const Activation activation : kActivations) {
    const Variable x = leaf({7, 20}), weight = leaf({33, 20}), bias = leaf({33});
    const Variable x2 = copy(x), weight2 = copy(weight), bias2 = copy(bias);
    const Tensor dy = normal_tensor({7, 33}, random_);
    const Variable fused = linear(x, weight, bias, {activation});
    const Variable ones(
        Tensor::full({7, 1}, 1.0f));  // ones [N, 1] times bias [1, O] adds it to every row
    const Variable row(bias2.value().reshape({1, 33}), true);
    const Variable composed =
        activate(add(matmul(x2, weight2, true), matmul(ones, row)), activation);
    expect_near(fused.value(), composed.value(), 1e-5, "y");
    backward(fused, dy);
    backward(composed, dy);
    expect_near(x.gradient(), x2.gradient(), 1e-4, "dx");
    expect_near(weight.gradient(), weight2.gradient(), 1e-4, "dweight");
    expect_near(bias.gradient(), row.gradient().reshape({33}), 1e-4, "dbias");
  }
}

TEST_P(Fusion, FeedForwardIsTwoLinearMapsAnActivationAndDropout) {
  for (const Activation activation : kActivations) {
    for (const float p : {0.0f, 0.3f}) {
      const Dropout mask{p, {8, 9}};
      const Variable x = leaf({7, 20}), w1 = leaf({33, 20}), b1 = leaf({33}), w2 = leaf({9, 33}),
                     b2 = leaf({9});
      const std::vector<Variable> fused_leaves{x, w1, b1, w2, b2};
      std::vector<Variable> leaves;
      for (const Variable& one : fused_leaves) leaves.push_back(copy(one));
      const Tensor dy = normal_tensor({7, 9}, random_);
      const Variable fused = feed_forward(x, {w1, b1}, {w2, b2}, {activation, mask});
      const Variable composed =
          linear(dropout(linear(leaves[0], leaves[1], leaves[2], {activation}), mask), leaves[3],
                 leaves[4]);
      EXPECT_EQ(largest_difference(fused.value(), composed.value()), 0);
      backward(fused, dy);
      backward(composed, dy);
      for (std::size_t i = 0; i < leaves.size(); ++i)
        expect_near(fused_leaves[i].gradient(), leaves[i].gradient(), 1e-5, "gradient");
    }
  }
}

TEST_P(Fusion, AGateMultipliesTheActivatedVectors) {
  for (const Activation activation : kActivations) {
    for (const float p : {0.0f, 0.3f}) {
      const Dropout mask{p, {8, 9}};
      const std::vector<Variable> fused_leaves{leaf({7, 20}),  leaf({33, 20}), leaf({33}),
                                               leaf({33, 20}), leaf({33}),     leaf({9, 33}),
                                               leaf({9})};
      std::vector<Variable> leaves;
      for (const Variable& one : fused_leaves) leaves.push_back(copy(one));
      const auto gated = [&, activation](const std::vector<Variable>& in) {
        return feed_forward(in[0], {in[1], in[2]}, {in[5], in[6]}, {activation, mask},
                            {in[3], in[4]});
      };
      const Tensor dy = normal_tensor({7, 9}, random_);
      const Variable fused = gated(fused_leaves);
      const Variable hidden = multiply(linear(leaves[0], leaves[1], leaves[2], {activation}),
                                       linear(leaves[0], leaves[3], leaves[4]));
      const Variable composed = linear(dropout(hidden, mask), leaves[5], leaves[6]);
      EXPECT_EQ(largest_difference(fused.value(), composed.value()), 0);
      backward(fused, dy);
      backward(composed, dy);
      for (std::size_t i = 0; i < leaves.size(); ++i)
        expect_near(fused_leaves[i].gradient(), leaves[i].gradient(), 1e-5, "gradient");
      const NoGradient evaluating;
      EXPECT_TRUE(same_bits(gated(leaves).value(), fused.value()));
    }
  }
}

TEST_P(Fusion, FeedForwardIsTheSameWhenItsRowsGoThroughInParts) {
  const Variable x = leaf({600, 3}), w1 = leaf({8192, 3}), b1 = leaf({8192}),
                 w2 = leaf({2, 8192});  // 256 rows at a time
  const std::vector<Variable> whole{x, w1, b1, w2};
  std::vector<Variable> leaves;
  for (const Variable& one : whole) leaves.push_back(copy(one));
  const Tensor dy = normal_tensor({600, 2}, random_);
  const Variable in_parts = feed_forward(x, {w1, b1}, {w2, {}}, {Activation::gelu});
  const Variable at_once =
      linear(linear(leaves[0], leaves[1], leaves[2], {Activation::gelu}), leaves[3], {});
  EXPECT_EQ(largest_difference(in_parts.value(), at_once.value()), 0);
  backward(in_parts, dy);
  backward(at_once, dy);
  for (std::size_t i = 0; i < leaves.size(); ++i)
    expect_near(whole[i].gradient(), leaves[i].gradient(), 1e-3, "gradient");
  if (&*backend() == &fast_backend()) {
    EXPECT_EQ(largest_difference(w2.gradient(), leaves[3].gradient()), 0)
        << "the order of its sums";
  }
}

TEST_P(Fusion, FeedForwardInBf16KeepsTheFactorsThatProductsRoundAnyway) {
  const Variable x = leaf({40, 20}), w1 = leaf({33, 20}), b1 = leaf({33}), w2 = leaf({9, 33});
  const std::vector<Variable> fused{x, w1, b1, w2};
  std::vector<Variable> leaves;
  for (const Variable& one : fused) leaves.push_back(copy(one));
  const Tensor dy = normal_tensor({40, 9}, random_);
  backward(feed_forward(x, {w1, b1}, {w2, {}}, {Activation::relu, {}, Precision::bf16}), dy);
  const Variable hidden =
      linear(leaves[0], leaves[1], leaves[2], {Activation::relu, Precision::bf16});
  backward(linear(hidden, leaves[3], {}, {.precision = Precision::bf16}), dy);
  for (std::size_t i = 0; i < leaves.size(); ++i)
    EXPECT_EQ(largest_difference(fused[i].gradient(), leaves[i].gradient()), 0) << i;
}

TEST_P(Fusion, FeedForwardOfNothingHasGradientsOfZero) {
  const Variable x = leaf({0, 3}), w1 = leaf({4, 3}), w2 = leaf({2, 4});
  backward(feed_forward(x, {w1, {}}, {w2, {}}, {Activation::relu}), Tensor::empty({0, 2}));
  EXPECT_EQ(w1.gradient().to_vector(), std::vector<float>(12, 0.0f));
  EXPECT_EQ(w2.gradient().to_vector(), std::vector<float>(8, 0.0f));
}

TEST_P(Fusion, ResidualLayerNormIsDropoutAdditionAndLayerNorm) {
  for (const float p : {0.0f, 0.3f}) {
    const Dropout mask{p, {8, 9}};
    const Variable x = leaf({9, 37}), branch = leaf({9, 37}), gamma = leaf({37}), beta = leaf({37});
    const Variable x2 = copy(x), branch2 = copy(branch), gamma2 = copy(gamma), beta2 = copy(beta);
    const Tensor dy = normal_tensor({9, 37}, random_);
    const Variable fused = residual_layer_norm(x, branch, mask, {gamma, beta});
    const Variable composed = layer_norm(add(x2, dropout(branch2, mask)), {gamma2, beta2});
    expect_near(fused.value(), composed.value(), 1e-5, "y");
    backward(fused, dy);
    backward(composed, dy);
    expect_near(x.gradient(), x2.gradient(), 1e-5, "dx");
    expect_near(branch.gradient(), branch2.gradient(), 1e-5, "dbranch");
    expect_near(gamma.gradient(), gamma2.gradient(), 1e-5, "dgamma");
    expect_near(beta.gradient(), beta2.gradient(), 1e-5, "dbeta");
  }
}

TEST_P(Fusion, EmbeddingIsTwoLookupsAScaleAndDropout) {
  const Dropout mask{0.3f, {8, 9}};
  const Variable table = leaf({11, 16}), positions = leaf({4, 16});
  const Variable table2 = copy(table), positions2 = copy(positions);
  const Ids tokens = ids({3, 10, 3, 0, 7}), places = ids({0, 1, 2, 3, 0});
  const Tensor dy = normal_tensor({5, 16}, random_);
  const Variable fused = embedding(table, tokens, 4.0f, {positions, places}, mask);
  const Variable composed =
      dropout(add(scale(gather_rows(table2, tokens), 4.0f), gather_rows(positions2, places)), mask);
  expect_near(fused.value(), composed.value(), 1e-6, "y");
  backward(fused, dy);
  backward(composed, dy);
  expect_near(table.gradient(), table2.gradient(), 1e-5, "dtable");
  expect_near(positions.gradient(), positions2.gradient(), 1e-5, "dpositions");
}

// The loss is computed 512 rows at a time: row counts around that, and with a smoothed loss that is
// itself scaled.
TEST_P(Fusion, ProjectedCrossEntropyIsAProductAndCrossEntropyWhateverTheChunks) {
  for (const std::int64_t rows : {1, 511, 512, 513, 1024, 1030}) {
    SCOPED_TRACE(rows);
    std::vector<std::int32_t> wanted(static_cast<std::size_t>(rows));
    for (std::int32_t& id : wanted) id = static_cast<std::int32_t>(random_.below(13));
    const Ids targets = ids(wanted);
    const CrossEntropyOptions options{0.1f, 100.0};
    const Variable x = leaf({rows, 6}), weight = leaf({13, 6}), bias = leaf({13});
    const Variable x2 = copy(x), weight2 = copy(weight), bias2 = copy(bias);
    const CrossEntropy fused = projected_cross_entropy(x, {weight, bias}, targets, options);
    const CrossEntropy composed = cross_entropy(linear(x2, weight2, bias2), targets, options);
    EXPECT_NEAR(fused.loss_sum, composed.loss_sum, 1e-6 * composed.loss_sum);
    EXPECT_NEAR(fused.nll, composed.nll, 1e-6 * composed.nll);
    EXPECT_NEAR(fused.loss.value().item(), composed.loss.value().item(), 1e-6 * composed.loss_sum);
    EXPECT_NEAR(fused.loss.value().item(), fused.loss_sum / 100.0, 1e-6 * fused.loss_sum);
    backward(scale(fused.loss, 3.0f));
    backward(scale(composed.loss, 3.0f));
    expect_near(x.gradient(), x2.gradient(), 1e-6, "dx");
    expect_near(weight.gradient(), weight2.gradient(), 3e-5, "dweight");
    expect_near(bias.gradient(), bias2.gradient(), 3e-5, "dbias");
  }
}

TEST_P(Fusion, TargetLogProbabilitiesAreRowsOfLogSoftmax) {
  constexpr std::int64_t kRows = 515;
  const Variable x = leaf({kRows, 6}), weight = leaf({13, 6});
  std::vector<std::int32_t> targets(kRows);
  for (std::int32_t& id : targets) id = static_cast<std::int32_t>(random_.below(13));
  const std::vector<float> found =
      target_log_probabilities(x.value(), {weight.value(), {}}, targets);
  const Tensor all = log_softmax(linear(x, weight)).value();
  ASSERT_EQ(found.size(), targets.size());
  double total = 0.0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], all.row(static_cast<std::int64_t>(i))[targets[i]], 1e-5);
    total -= found[i];
  }
  EXPECT_NEAR(projected_cross_entropy(x, {weight, {}}, ids(targets)).nll, total, 1e-3);
}

// softmax(scale Q K^T + bias) V of one head of one sequence, from simple ops.
struct Head {
  Variable q, k, v, weights, out;

  Head(const Tensor& queries, const Tensor& keys, const Tensor& values, const Tensor& bias,
       float beta)
      : q(queries.clone(), true), k(keys.clone(), true), v(values.clone(), true) {
    weights = softmax(add(scale(matmul(q, k, true), beta), Variable(bias)));
    out = matmul(weights, v);
  }
};

// What a query may see, as the composition needs it: the bias of this sequence, and -infinity where
// the causal triangle ends.
Tensor whole_bias(const Tensor& bias, std::int64_t first, std::int64_t queries, std::int64_t keys,
                  bool causal) {
  const Tensor whole = Tensor::zeros({queries, keys});
  for (std::int64_t i = 0; i < queries; ++i) {
    for (std::int64_t j = 0; j < keys; ++j) {
      if (bias.defined()) whole.row(i)[j] = bias.data()[first + i * keys + j];
      if (causal && j > i + keys - queries)
        whole.row(i)[j] = -std::numeric_limits<float>::infinity();
    }
  }
  return whole;
}

void check_attention(Random& random, bool causal, const Tensor& bias, float beta) {
  constexpr std::int64_t kHeads = 3, kKey = 5, kValue = 4;
  const std::vector<std::int32_t> queries{0, 4, 5, 11}, keys{0, 6, 7, 13};
  const Variable q(normal_tensor({11, kHeads * kKey}, random), true),
      k(normal_tensor({13, kHeads * kKey}, random), true);
  const Variable v(normal_tensor({13, kHeads * kValue}, random), true);
  const AttentionLayout layout{ids(queries), ids(keys), {}, causal, bias, kHeads, beta};
  Tensor weights;
  const Variable fused = scaled_dot_product_attention({q, k, v}, layout, &weights);
  const Tensor dout = normal_tensor({11, kHeads * kValue}, random);
  backward(fused, dout);
  std::int64_t pairs = 0;
  for (std::size_t b = 0; b + 1 < queries.size(); ++b) {
    const std::int64_t q0 = queries[b], q1 = queries[b + 1], k0 = keys[b], k1 = keys[b + 1];
    for (std::int64_t h = 0; h < kHeads; ++h) {
      SCOPED_TRACE("sequence " + std::to_string(b) + ", head " + std::to_string(h));
      const auto part = [h](const Tensor& x, std::int64_t begin, std::int64_t end,
                            std::int64_t width) {
        return x.slice_rows(begin, end).slice_columns(h * width, (h + 1) * width);
      };
      const Head head(part(q.value(), q0, q1, kKey), part(k.value(), k0, k1, kKey),
                      part(v.value(), k0, k1, kValue),
                      whole_bias(bias, pairs, q1 - q0, k1 - k0, causal), beta);
      const std::int64_t block = kHeads * pairs + h * (q1 - q0) * (k1 - k0);
      expect_near(weights.slice_rows(block, block + head.weights.value().size())
                      .reshape({q1 - q0, k1 - k0}),
                  head.weights.value(), 1e-6, "weights");
      expect_near(part(fused.value(), q0, q1, kValue), head.out.value(), 2e-6, "out");
      backward(head.out, part(dout, q0, q1, kValue));
      expect_near(part(q.gradient(), q0, q1, kKey), head.q.gradient(), 2e-5, "dq");
      expect_near(part(k.gradient(), k0, k1, kKey), head.k.gradient(), 2e-5, "dk");
      expect_near(part(v.gradient(), k0, k1, kValue), head.v.gradient(), 2e-5, "dv");
    }
    pairs += (q1 - q0) * (k1 - k0);
  }
}

TEST_P(Fusion, AttentionIsASoftmaxBetweenTwoProducts) {
  constexpr std::int64_t kPairs = 4 * 6 + 1 * 1 + 6 * 6;
  std::vector<bool> allowed(kPairs);
  for (std::size_t i = 0; i < allowed.size(); ++i)
    allowed[i] = i % 6 == 0 || i >= 24 || random_.uniform() < 0.5f;
  const Tensor additive = normal_tensor({kPairs}, random_);
  for (const float beta : {1.0f / std::sqrt(5.0f), 1.0f, 0.1f, 3.0f}) {
    SCOPED_TRACE(beta);
    check_attention(random_, false, {}, beta);
    check_attention(random_, true, {}, beta);
    check_attention(random_, false, mask_bias(allowed), beta);
    check_attention(random_, false, additive, beta);
    check_attention(random_, true, additive, beta);
  }
}

}  // namespace
}  // namespace attend
