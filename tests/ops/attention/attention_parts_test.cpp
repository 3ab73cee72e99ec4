// The parts of attention against attention as a whole; hard attention and its gradients.
#include "attend/ops/attention/attention_parts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "attend/backend/backend.h"
#include "attend/error.h"
#include "attend/ops/elementwise.h"
#include "attend/ops/slices.h"
#include "backend/scoped_backend.h"
#include "ops/operands.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

class AttentionParts : public testing::TestWithParam<Backend& (*)()> {
 protected:
  Variable leaf(const Shape& shape) { return Variable(normal_tensor(shape, random_), true); }
  static Variable copy(const Variable& x) { return Variable(x.value().clone(), true); }

 private:
  ScopedBackend backend_{GetParam()()};

 protected:
  Random random_{{5, 6}};
};

INSTANTIATE_TEST_SUITE_P(Of, AttentionParts, testing::Values(&reference_backend, &fast_backend),
                         [](const auto& suite) {
                           return suite.param == &reference_backend ? "Reference" : "Fast";
                         });

AttentionLayout one_sequence(std::int32_t queries, std::int32_t keys, int heads = 1) {
  AttentionLayout layout{ids({0, queries}), ids({0, keys})};
  layout.heads = heads;
  return layout;
}

AttentionLayout ragged(bool causal) {
  AttentionLayout layout{ids({0, 5, 5, 6, 9}), ids({0, 5, 7, 8, 12}), {}, causal};
  layout.heads = 2;
  layout.scale = 0.7f;
  return layout;
}

// Softmax of the scores of each query, as they are: zeros if it sees no key.
std::vector<float> softmax_of_rows(const std::vector<float>& scores,
                                   const AttentionLayout& layout) {
  std::vector<float> weights;
  std::size_t at = 0;
  for (std::int64_t b = 0; b + 1 < layout.query_offsets.size(); ++b) {
    const std::int64_t sequence = layout.key_sequence ? layout.key_sequence[b] : b;
    const auto rows = static_cast<std::size_t>(
        layout.heads * (layout.query_offsets[b + 1] - layout.query_offsets[b]));
    const auto cols =
        static_cast<std::size_t>(layout.key_offsets[sequence + 1] - layout.key_offsets[sequence]);
    for (std::size_t row = 0; row < rows; ++row, at += cols) {
      double sum = 0;
      for (std::size_t j = 0; j < cols; ++j) sum += std::exp(double{scores[at + j]});
      for (std::size_t j = 0; j < cols; ++j)
        weights.push_back(sum > 0 ? static_cast<float>(std::exp(double{scores[at + j]}) / sum)
                                  : 0.0f);
    }
  }
  return weights;
}

TEST_P(AttentionParts, ShowTheScoresThatTheFusedKernelChoosesBy) {
  const auto check = [&](const char* what, const auto& change) {
    SCOPED_TRACE(what);
    const Variable q = leaf({9, 8}), k = leaf({12, 8}), v = leaf({12, 6});
    AttentionLayout layout = ragged(false);
    Variable bias;
    change(layout, bias);
    const NoGradient guard;
    Tensor weights;
    scaled_dot_product_attention({q, k, v, bias}, layout, &weights);
    const std::vector<float>
        shown = softmax_of_rows(
            visible_scores(attention_scores(q, k, layout), bias, layout).to_vector(), layout),
        expected = weights.to_vector();
    ASSERT_EQ(shown.size(), expected.size());
    for (std::size_t i = 0; i < shown.size(); ++i) EXPECT_NEAR(shown[i], expected[i], 1e-5) << i;
  };
  check("scale", [](auto&, auto&) {});
  check("causal", [](auto& layout, auto&) { layout.causal = true; });
  check("window", [](auto& layout, auto&) { layout.window = 2; });
  check("cap", [](auto& layout, auto&) { layout.cap = 0.4f; });
  check("by distance", [&](auto&, Variable& bias) { bias = leaf({5, 2}); });
  check("by pair", [&](auto& layout, auto&) {
    layout.bias = normal_tensor({5 * 5 + 0 * 2 + 1 * 1 + 3 * 4}, random_);
  });
  check("shared keys", [&](auto& layout, auto&) {
    layout.key_sequence = ids({3, 0, 1, 0});
    layout.bias = normal_tensor({5 * 4 + 0 * 5 + 1 * 2 + 3 * 5}, random_);
  });
  check("all at once", [&](auto& layout, Variable& bias) {
    layout.causal = true;
    layout.window = 3;
    layout.cap = 0.4f;
    bias = leaf({7, 2});
  });
}

// The composition is the oracle of the fused kernel.
TEST_P(AttentionParts, TogetherAreScaledDotProductAttention) {
  for (const bool causal : {false, true}) {
    const Variable q = leaf({9, 8}), k = leaf({12, 8}), v = leaf({12, 6});
    const Variable q2 = copy(q), k2 = copy(k), v2 = copy(v);
    const Tensor dy = normal_tensor({9, 6}, random_);
    Tensor weights;
    const AttentionLayout layout = ragged(causal);
    const Variable fused = scaled_dot_product_attention({q, k, v}, layout, &weights);
    const Variable chosen = attention_weights(attention_scores(q2, k2, layout), layout);
    const Variable composed = attention_sum(chosen, v2, layout);
    EXPECT_LE(largest_difference(chosen.value(), weights), 1e-6);
    EXPECT_LE(largest_difference(fused.value(), composed.value()), 2e-6);
    backward(fused, dy);
    backward(composed, dy);
    EXPECT_LE(largest_difference(q.gradient(), q2.gradient()), 1e-5);
    EXPECT_LE(largest_difference(k.gradient(), k2.gradient()), 1e-5);
    EXPECT_LE(largest_difference(v.gradient(), v2.gradient()), 1e-5);
  }
}

Variable scores_of(const std::vector<float>& values) {
  return Variable(Tensor::from(values, {static_cast<std::int64_t>(values.size())}), true);
}

std::vector<float> hard(const std::vector<float>& scores, AttentionLayout layout,
                        float scale = 1.0f) {
  layout.scale = scale;
  return attention_weights(scores_of(scores), layout, AttentionChoice::hard).value().to_vector();
}

TEST_P(AttentionParts, HardWeightsAreOneForTheLargestScoreAndZeroElsewhere) {
  EXPECT_EQ(hard({1, 3, 2, -1, -5, -2}, one_sequence(2, 3)),
            (std::vector<float>{0, 1, 0, 1, 0, 0}));
  EXPECT_EQ(hard({1, 3, 2}, one_sequence(1, 3), -0.5f), (std::vector<float>{1, 0, 0}))
      << "a negative temperature looks for the smallest";
}

TEST_P(AttentionParts, HardWeightsOfATieGoToTheFirst) {
  EXPECT_EQ(hard({2, 5, 5, 5}, one_sequence(1, 4)), (std::vector<float>{0, 1, 0, 0}));
  EXPECT_EQ(hard({0.0f, -0.0f}, one_sequence(1, 2)), (std::vector<float>{1, 0}));
  EXPECT_EQ(hard({-0.0f, 0.0f}, one_sequence(1, 2)), (std::vector<float>{1, 0}));
  EXPECT_EQ(hard({1e30f, std::nextafter(1e30f, 2e30f)}, one_sequence(1, 2)),
            (std::vector<float>{0, 1}))
      << "the next number is no tie";
}

TEST_P(AttentionParts, HardWeightsSeeWhatTheMaskAllows) {
  AttentionLayout causal = one_sequence(3, 3);
  causal.causal = true;
  EXPECT_EQ(hard({1, 9, 9, 2, 1, 9, 1, 2, 3}, causal),
            (std::vector<float>{1, 0, 0, 1, 0, 0, 0, 0, 1}));
  AttentionLayout masked = one_sequence(2, 2);
  masked.bias = mask_bias({false, true, false, false});
  EXPECT_EQ(hard({9, 1, 9, 1}, masked), (std::vector<float>{0, 1, 0, 0}))
      << "who may see nothing gets nothing";
}

TEST_P(AttentionParts, HardWeightsOfANaNAreNaN) {
  const std::vector<float> found = hard({1, NAN, 2, 1, 2, 3}, one_sequence(2, 3));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(std::isnan(found[i]));
  EXPECT_EQ(found[5], 1.0f);
}

TEST_P(AttentionParts, HardWeightsSendNoGradientToTheScores) {
  const Variable scores = scores_of({1, 3, 2}), v = leaf({3, 4});
  const Variable weights = attention_weights(scores, one_sequence(1, 3), AttentionChoice::hard);
  EXPECT_FALSE(weights.requires_gradient());
  const Variable y = attention_sum(weights, v, one_sequence(1, 3));
  EXPECT_TRUE(same_bits(y.value(), v.value().slice_rows(1, 2))) << "the chosen value itself";
  backward(y, Tensor::full({1, 4}, 2.0f));
  EXPECT_FALSE(scores.gradient().defined());
  EXPECT_EQ(v.gradient().to_vector(), (std::vector<float>{0, 0, 0, 0, 2, 2, 2, 2, 0, 0, 0, 0}));
}

// Forward one-hot, h. Backward, with p = softmax(beta s) and dw = dO V^T:  ds = beta p (dw - p .
// dw),  dV = h^T dO.
TEST_P(AttentionParts, StraightThroughIsHardForwardAndSoftBackward) {
  constexpr float kBeta = 1.3f;
  const std::vector<float> s{0.3f, 1.1f, -0.4f, 0.9f, 0.2f, 0.1f};
  AttentionLayout layout = one_sequence(2, 3);
  layout.scale = kBeta;
  const Variable scores = scores_of(s), v = leaf({3, 4});
  const Variable weights = attention_weights(scores, layout, AttentionChoice::straight_through);
  EXPECT_EQ(weights.value().to_vector(), (std::vector<float>{0, 1, 0, 1, 0, 0}));
  const Variable y = attention_sum(weights, v, layout);
  const Tensor dout = normal_tensor({2, 4}, random_);
  backward(y, dout);
  const Tensor ds = scores.gradient();
  for (std::int64_t i = 0; i < 2; ++i) {
    double p[3], dw[3] = {}, total = 0.0, mean = 0.0;
    for (std::int64_t j = 0; j < 3; ++j)
      total += p[j] = std::exp(double{kBeta} * s[static_cast<std::size_t>(i * 3 + j)]);
    for (std::int64_t j = 0; j < 3; ++j) {
      p[j] /= total;
      for (std::int64_t d = 0; d < 4; ++d) dw[j] += double{dout.row(i)[d]} * v.value().row(j)[d];
      mean += p[j] * dw[j];
    }
    for (std::int64_t j = 0; j < 3; ++j)
      EXPECT_NEAR(ds.data()[i * 3 + j], kBeta * p[j] * (dw[j] - mean), 1e-5) << i << ", " << j;
  }
  EXPECT_TRUE(same_bits(v.gradient().slice_rows(1, 2), dout.slice_rows(0, 1)));
  EXPECT_TRUE(same_bits(v.gradient().slice_rows(0, 1), dout.slice_rows(1, 2)));
  EXPECT_TRUE(same_bits(v.gradient().slice_rows(2, 3), Tensor::zeros({1, 4})));
}

// A hypothesis looks at a sentence by its number; so many queries of it stand together.
TEST_P(AttentionParts, OfQueriesThatShareKeysAreThoseOfEachAlone) {
  const NoGradient guard;
  const Variable q = leaf({3, 4}), k = leaf({5, 4}), score = leaf({1, 4});
  const AttentionLayout shared{ids({0, 2, 3}), ids({0, 2, 5}), ids({1, 0})};
  const Tensor all = additive_attention_scores(q, k, score, shared).value();
  ASSERT_EQ(all.size(), 2 * 3 + 2);
  const auto alone = [&](std::int64_t query, std::int64_t begin, std::int64_t end) {
    const AttentionLayout one = one_sequence(1, static_cast<std::int32_t>(end - begin));
    return additive_attention_scores(slice_rows(q, query, query + 1), slice_rows(k, begin, end),
                                     score, one)
        .value();
  };
  EXPECT_TRUE(same_bits(all.slice_rows(0, 3), alone(0, 2, 5)));
  EXPECT_TRUE(same_bits(all.slice_rows(3, 6), alone(1, 2, 5)));
  EXPECT_TRUE(same_bits(all.slice_rows(6, 8), alone(2, 0, 2)));
}

TEST_P(AttentionParts, RefuseOperandsThatDoNotFit) {
  const Variable q = leaf({2, 6}), k = leaf({3, 6}), narrow = leaf({3, 4}), score = leaf({1, 6}),
                 pairs = leaf({6});
  const AttentionLayout fits = one_sequence(2, 3), other = one_sequence(2, 4);
  expect_error<ShapeError>([&] { attention_scores(q, narrow, fits); },
                           {"[attention_scores]", "[2, 6]", "[3, 4]"});
  expect_error<ShapeError>([&] { attention_scores(q, k, one_sequence(2, 3, 4)); },
                           {"[attention_scores]", "4 heads"});
  expect_error<ShapeError>([&] { attention_scores(q, k, other); },
                           {"[attention_scores]", "key offsets", "[3, 6]"});
  expect_error<ShapeError>([&] { additive_attention_scores(q, k, narrow, fits); },
                           {"[additive_attention_scores]", "[2, 6]", "[3, 4]"});
  expect_error<ShapeError>([&] { attention_weights(pairs, one_sequence(2, 3, 2)); },
                           {"[attention_weights]", "[6]", "[12]"});
  expect_error<ShapeError>(
      [&] {
        attention_weights(pairs, {{}, ids({0, 3})});
      },
      {"[attention_weights]", "query offsets"});
  expect_error<ShapeError>([&] { attention_sum(pairs, k, other); },
                           {"[attention_sum]", "key offsets"});
  expect_error<ShapeError>([&] { attention_sum(pairs, k, one_sequence(2, 3, 2)); },
                           {"[attention_sum]", "[6]", "[12]"});
  expect_error<ShapeError>(
      [&] {
        attention_scores(q, k, {ids({0, 2}), ids({0, 3}), ids({0})});
      },
      {"[attention_scores]", "share keys"});
}

}  // namespace
}  // namespace attend
