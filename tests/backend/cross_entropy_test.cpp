// Label-smoothed cross-entropy against the formula written out: softmax, logarithm, and the
// smoothed target distribution.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "backend/backend_test.h"
#include "backend/operands.h"

namespace attend {
namespace {

class CrossEntropy : public EachBackend {
 protected:
  struct Result {
    Tensor losses, nll;
  };
  Result losses(const Tensor& logits, const std::vector<std::int32_t>& targets,
                float label_smoothing, float gradient_scale) const {
    const Result result{Tensor::empty({logits.rows()}), Tensor::empty({logits.rows()})};
    kernels().cross_entropy(logits, targets, label_smoothing, gradient_scale, result.losses,
                            result.nll);
    return result;
  }
};
INSTANTIATE_TEST_SUITE_P(On, CrossEntropy, ::testing::Values(&reference_backend, &fast_backend),
                         backend_name);

TEST_P(CrossEntropy, IsThatOfTheSmoothedDistribution) {
  constexpr std::int64_t kRows = 5;
  constexpr std::int64_t kClasses = 11;
  constexpr double kSmoothing = 0.1;
  constexpr double kGradientScale = 0.5;
  Operands operands(Rows::strided);
  const Tensor logits = operands.normal(kRows, kClasses, 2.0f);
  const Tensor gradient = logits.clone();
  const std::vector<std::int32_t> targets = operands.ids(kRows, kClasses);
  const Result result =
      losses(gradient, targets, static_cast<float>(kSmoothing), static_cast<float>(kGradientScale));
  for (std::int64_t n = 0; n < kRows; ++n) {
    const std::int32_t target = targets[static_cast<std::size_t>(n)];
    double normalizer = 0.0;
    for (std::int64_t v = 0; v < kClasses; ++v) normalizer += std::exp(double{logits.row(n)[v]});
    double loss = 0.0;
    for (std::int64_t v = 0; v < kClasses; ++v) {
      const double p = std::exp(double{logits.row(n)[v]}) / normalizer;
      const double wanted = kSmoothing / kClasses + (v == target ? 1.0 - kSmoothing : 0.0);
      loss -= wanted * std::log(p);
      EXPECT_NEAR(gradient.row(n)[v], kGradientScale * (p - wanted), 1e-6);
    }
    EXPECT_NEAR(result.losses.data()[n], loss, 5e-6);
    EXPECT_NEAR(result.nll.data()[n],
                -std::log(std::exp(double{logits.row(n)[target]}) / normalizer), 5e-6);
  }
}

TEST_P(CrossEntropy, OfEqualLogitsIsTheLogarithmOfTheClasses) {
  const Tensor logits = Tensor::full({2, 100}, 3.0f);
  const Result result = losses(logits, {0, 99}, 0.1f, 0.0f);
  for (int n = 0; n < 2; ++n) {
    EXPECT_NEAR(result.losses.data()[n], std::log(100.0), 5e-6);
    EXPECT_NEAR(result.nll.data()[n], std::log(100.0), 5e-6);
  }
}

TEST_P(CrossEntropy, LeavesLogitsAloneWithoutAGradient) {
  Operands operands(Rows::contiguous);
  const Tensor logits = operands.normal(4, 21);
  const Tensor before = logits.clone();
  losses(logits, {0, 5, 20, 3}, 0.1f, 0.0f);
  EXPECT_TRUE(same_bits(logits, before));
}

TEST_P(CrossEntropy, GradientOfARowSumsToZero) {
  Operands operands(Rows::contiguous);
  const Tensor logits = operands.normal(4, 333, 3.0f);
  losses(logits, {0, 5, 332, 3}, 0.1f, 1.0f);
  for (std::int64_t n = 0; n < 4; ++n)
    EXPECT_NEAR(kernels().sum(logits.slice_rows(n, n + 1)), 0.0, 1e-5);
}

TEST_P(CrossEntropy, ForbiddenClassesCostNothingWithoutSmoothing) {
  const Tensor logits = Tensor::from(std::vector<float>{1.0f, -INFINITY, 1.0f}, {1, 3});
  const Result result = losses(logits, {0}, 0.0f, 1.0f);
  EXPECT_NEAR(result.losses.item(), std::log(2.0), 1e-6);
  EXPECT_EQ(logits.data()[1], 0.0f);
  EXPECT_NEAR(logits.data()[0], -0.5, 1e-6);
}

}  // namespace
}  // namespace attend
