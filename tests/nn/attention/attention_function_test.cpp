// The variants of attention: products, additive scores, hard choices, at any temperature.
#include "attend/nn/attention/attention_function.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "attend/backend/backend.h"
#include "attend/error.h"
#include "attend/nn/attention/multi_head_attention.h"
#include "backend/scoped_backend.h"
#include "ops/operands.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

constexpr std::int64_t kVariantWidth = 6;

struct VariantModule {
  explicit VariantModule(const AttentionVariant& variant, int heads = 1)
      : attention(parameters, "a", options(variant, heads)) {
    parameters.allocate(1);
  }
  static MultiHeadAttentionOptions options(const AttentionVariant& variant, int heads) {
    MultiHeadAttentionOptions o;
    o.d_model = kVariantWidth;
    o.n_heads = heads;
    o.variant = variant;
    return o;
  }

  ParameterSet parameters;
  MultiHeadAttention attention;
};

// Attention of x to itself, as it is: no projections, one head.
Variable unprojected(const AttentionVariant& variant, const Tensor& x,
                     const AttentionLayout& layout, Tensor* weights = nullptr) {
  ParameterSet parameters;
  const AttentionFunction function(parameters, "a", {1, 1, kVariantWidth, variant});
  return function.forward({Variable(x), Variable(x), Variable(x)}, layout, weights);
}

class AttentionVariants : public testing::TestWithParam<Backend& (*)()> {
 protected:
  Tensor inputs(std::int64_t rows) { return normal_tensor({rows, kVariantWidth}, random_); }

 private:
  ScopedBackend backend_{GetParam()()};

 protected:
  Random random_{{3, 1}};
  Pass pass_ = Pass::inference();
};

INSTANTIATE_TEST_SUITE_P(Of, AttentionVariants, testing::Values(&reference_backend, &fast_backend),
                         [](const auto& suite) {
                           return suite.param == &reference_backend ? "Reference" : "Fast";
                         });

// h = X a with a = softargmax(beta X^T x), column for column.
TEST_P(AttentionVariants, ScoresAreProductsTimesBeta) {
  constexpr double kBeta = 0.8;
  const Tensor x = inputs(5);
  const AttentionVariant variant{AttentionScores::dot, AttentionChoice::soft,
                                 static_cast<float>(kBeta)};
  const Tensor h = unprojected(variant, x, {ids({0, 5}), ids({0, 5})}).value();
  for (std::int64_t i = 0; i < 5; ++i) {
    std::vector<double> a(5);
    double total = 0.0;
    for (std::int64_t j = 0; j < 5; ++j) {
      double product = 0.0;
      for (std::int64_t d = 0; d < kVariantWidth; ++d) product += double{x.row(i)[d]} * x.row(j)[d];
      total += a[static_cast<std::size_t>(j)] = std::exp(kBeta * product);
    }
    for (std::int64_t d = 0; d < kVariantWidth; ++d) {
      double expected = 0.0;
      for (std::int64_t j = 0; j < 5; ++j)
        expected += a[static_cast<std::size_t>(j)] / total * x.row(j)[d];
      EXPECT_NEAR(h.row(i)[d], expected, 1e-5) << i << ", " << d;
    }
  }
}

// beta -> infinity: what soft attention becomes is hard attention.
TEST_P(AttentionVariants, SoftAttentionAtALargeBetaIsHardAttention) {
  const Tensor x = inputs(7);
  const AttentionLayout layout{ids({0, 3, 7}), ids({0, 3, 7})};
  const Tensor hard =
      unprojected({AttentionScores::dot, AttentionChoice::hard, 1.0f}, x, layout).value();
  EXPECT_LE(
      largest_difference(
          hard,
          unprojected({AttentionScores::dot, AttentionChoice::soft, 1e4f}, x, layout).value()),
      1e-5);
}

TEST_P(AttentionVariants, HardAttentionCopiesTheRowItLooksAt) {
  const Tensor x = inputs(4);
  Tensor weights;
  const Tensor h = unprojected({AttentionScores::dot, AttentionChoice::hard, 0.0f}, x,
                               {ids({0, 4}), ids({0, 4})}, &weights)
                       .value();
  ASSERT_EQ(weights.size(), 16);
  for (std::int64_t i = 0; i < 4; ++i) {
    std::int64_t chosen = -1;
    for (std::int64_t j = 0; j < 4; ++j) {
      const float weight = weights.data()[i * 4 + j];
      EXPECT_TRUE(weight == 0.0f || weight == 1.0f);
      if (weight == 1.0f) chosen = j;
    }
    ASSERT_GE(chosen, 0);
    EXPECT_TRUE(same_bits(h.slice_rows(i, i + 1), x.slice_rows(chosen, chosen + 1)));
  }
}

TEST_P(AttentionVariants, AdditiveScoresHaveAVectorForEveryHead) {
  const VariantModule m({AttentionScores::additive, AttentionChoice::soft, 0.0f}, 3);
  bool found = false;
  for (const auto& entry : m.parameters.entries()) {
    if (entry.name != "a.score.weight") continue;
    found = true;
    EXPECT_EQ(entry.shape, (Shape{1, kVariantWidth}));
  }
  EXPECT_TRUE(found);
  const Variable x(inputs(4), true);
  const Variable y = m.attention.self(x, {ids({0, 4}), ids({0, 4})}, {}, pass_);
  backward(y, inputs(4));
  for (const auto& entry : m.parameters.entries()) {
    if (entry.name == "a.k_proj.bias" || entry.name == "a.q_proj.bias") continue;
    EXPECT_GT(backend()->sum_of_squares(m.parameters.gradients().slice_rows(
                  entry.offset, entry.offset + entry.shape.size())),
              0.0)
        << entry.name;
  }
}

// Only products grow with the width of a head.
TEST_P(AttentionVariants, AdditiveScoresAreNotScaledUnlessAsked) {
  const VariantModule plain({AttentionScores::additive, AttentionChoice::soft, 0.0f}),
      one({AttentionScores::additive, AttentionChoice::soft, 1.0f});
  const Variable x(inputs(4));
  const AttentionLayout layout{ids({0, 4}), ids({0, 4})};
  EXPECT_TRUE(same_bits(plain.attention.self(x, layout, {}, pass_).value(),
                        one.attention.self(x, layout, {}, pass_).value()));
}

TEST_P(AttentionVariants, LoseWeightsToDropoutInTrainingAlone) {
  for (const AttentionScores scores : {AttentionScores::dot, AttentionScores::additive}) {
    for (const AttentionChoice choice :
         {AttentionChoice::soft, AttentionChoice::straight_through}) {
      MultiHeadAttentionOptions o = VariantModule::options({scores, choice, 0.0f}, 2);
      o.dropout = 0.5f;
      ParameterSet parameters;
      const MultiHeadAttention attention(parameters, "a", o);
      parameters.allocate(1);
      const Variable x(inputs(6));
      const AttentionLayout layout{ids({0, 6}), ids({0, 6})};
      const auto output = [&](Pass pass) { return attention.self(x, layout, {}, pass).value(); };
      EXPECT_TRUE(same_bits(output(Pass::inference()), output(Pass::inference())));
      EXPECT_FALSE(same_bits(output(Pass::training(1, 1)), output(Pass::inference())));
      EXPECT_FALSE(same_bits(output(Pass::training(1, 1)), output(Pass::training(1, 2))));
    }
  }
}

TEST_P(AttentionVariants, CachedAreWhatTheyAreOverWholeSequences) {
  for (const AttentionScores scores : {AttentionScores::dot, AttentionScores::additive}) {
    for (const AttentionChoice choice :
         {AttentionChoice::soft, AttentionChoice::hard, AttentionChoice::straight_through}) {
      const NoGradient guard;
      const VariantModule m({scores, choice, 0.0f}, 2);
      const Tensor x = inputs(5);
      AttentionLayout causal{ids({0, 5}), ids({0, 5})};
      causal.causal = true;
      const Tensor whole = m.attention.self(Variable(x), causal, {}, pass_).value();
      KVCache cache(1, 1);
      for (std::int64_t t = 0; t < 5; ++t) {
        cache.extend(std::vector<std::int32_t>{1});
        const Tensor step =
            m.attention.self_cached(Variable(x.slice_rows(t, t + 1)), cache, 0).value();
        EXPECT_LE(largest_difference(step, whole.slice_rows(t, t + 1)), 2e-6) << "step " << t;
      }
    }
  }
}

TEST(AttentionFunction, RefusesATemperatureThatIsNoNumber) {
  expect_error<ConfigError>(
      [&] {
        VariantModule({AttentionScores::dot, AttentionChoice::soft, NAN});
      },
      {"inverse_temperature"});
}

}  // namespace
}  // namespace attend
