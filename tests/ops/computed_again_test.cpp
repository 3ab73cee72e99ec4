// The results of normalizations are computed again by the gradients that need them. Values and
// gradients are those of results that are kept, bit for bit.
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "attend/ops/feed_forward.h"
#include "attend/ops/layer_norm.h"
#include "attend/ops/linear.h"
#include "attend/tensor/allocator.h"
#include "backend/scoped_backend.h"
#include "ops/operands.h"

namespace attend {
namespace {

constexpr std::int64_t kRows = 37, kWidth = 260, kInner = 50;  // in bf16 narrow ones are kept

class ComputedAgain : public testing::TestWithParam<Backend& (*)()> {
 protected:
  Variable leaf(const Shape& shape) { return Variable(normal_tensor(shape, random_), true); }

  // Results of every normalization.
  std::vector<Variable> normalized() {
    const Variable x = leaf({kRows, kWidth}), branch = leaf({kRows, kWidth}),
                   gamma = leaf({kWidth}), beta = leaf({kWidth});
    const Dropout dropout{.p = 0.3f, .key = {1, 2}};
    return {layer_norm(x, {gamma, beta}), layer_norm(x, {gamma, {}}),
            residual_layer_norm(x, branch, {}, {gamma, beta}),
            residual_layer_norm(x, branch, dropout, {gamma, {}})};
  }

  // The gradient of `weight` when use(y) takes y, and when it takes the same values, kept.
  void expect_same_gradient(const Variable& y, const Variable& weight,
                            const std::function<Variable(const Variable& y)>& use) {
    ASSERT_TRUE(y.kept().is_computed_again());
    const Variable kept(y.value().clone(), true);
    std::vector<std::vector<float>> gradients;
    for (const Variable& one : {y, kept}) {
      const Variable out = use(one);
      weight.gradient().zero();
      backward(out, Tensor::full(out.shape(), 0.5f));
      gradients.push_back(weight.gradient().to_vector());
    }
    EXPECT_EQ(gradients[0], gradients[1]);
  }

  Variable accumulating(const Shape& shape) {
    return {normal_tensor(shape, random_), Tensor::zeros(shape)};
  }

  Random random_{{7, 8}};

 private:
  ScopedBackend backend_{GetParam()()};
};

INSTANTIATE_TEST_SUITE_P(On, ComputedAgain, testing::Values(&reference_backend, &fast_backend),
                         [](const auto& suite) {
                           return suite.param == &reference_backend ? "Reference" : "Fast";
                         });

TEST_P(ComputedAgain, ValuesHaveTheSameBits) {
  for (const Variable& y : normalized()) {
    EXPECT_TRUE(y.kept().is_computed_again());
    EXPECT_EQ(y.kept().value().to_vector(), y.value().to_vector());
  }
}

TEST_P(ComputedAgain, WeightsOfALinearLayerHaveTheSameGradient) {
  for (const Variable& y : normalized()) {
    const Variable weight = accumulating({kInner, kWidth});
    expect_same_gradient(y, weight, [&](const Variable& in) { return linear(in, weight, {}, {}); });
  }
}

TEST_P(ComputedAgain, WeightsOfAFeedForwardNetworkHaveTheSameGradientInEveryPrecision) {
  for (const Precision precision : {Precision::f32, Precision::bf16}) {
    const Variable inner = accumulating({kInner, kWidth}), gate = leaf({kInner, kWidth});
    const AffineMap outer{leaf({kWidth, kInner}), {}};
    for (const Variable& y : normalized()) {
      expect_same_gradient(y, inner, [&](const Variable& in) {
        return feed_forward(in, {inner, {}}, outer, {Activation::relu, {}, precision});
      });
    }
    for (const Variable& y : normalized()) {
      expect_same_gradient(y, inner, [&](const Variable& in) {
        return feed_forward(in, {inner, {}}, outer, {Activation::tanh, {}, precision}, {gate, {}});
      });
    }
  }
}

TEST_P(ComputedAgain, NothingIsKeptOfAResultBetweenItsUses) {
  const Variable x = leaf({kRows, kWidth}), gamma = leaf({kWidth});
  const Variable weight = accumulating({kInner, kWidth});
  const auto after = [&](bool again) {
    const std::int64_t before = memory_statistics().bytes_in_use;
    Variable y = layer_norm(x, {gamma, {}});
    if (!again) y = Variable(y.value(), true);
    const Variable out = linear(y, weight, {}, {});
    y = Variable();
    return memory_statistics().bytes_in_use - before - std::int64_t{4} * kRows * kInner;
  };
  EXPECT_LT(after(true), 2 * kRows * kWidth);
  EXPECT_GE(after(false), 4 * kRows * kWidth);
}

}  // namespace
}  // namespace attend
