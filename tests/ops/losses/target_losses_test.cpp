#include "attend/ops/losses/target_losses.h"

#include <gtest/gtest.h>

#include <cmath>

#include "attend/error.h"

namespace attend {
namespace {

using Targets = std::vector<float>;

Variable matrix(const std::vector<float>& values, const Shape& shape) {
  return Variable(Tensor::from(values, shape), true);
}

TEST(BinaryCrossEntropy, IsTheMeanOfTheLabelsOfATextSummedOverTexts) {
  const Variable x = matrix({2, -1, 0.5f, 30, -30, 0}, {2, 3});
  const CrossEntropy loss = binary_cross_entropy(x, Targets{1, 0, 0, 1, 1, 0}, {.normalizer = 4});
  const auto softplus = [](double v) { return std::log1p(std::exp(v)); };
  const double expected =
      (softplus(-2) + softplus(-1) + softplus(0.5) + softplus(-30) + 30 + softplus(0)) / 3;
  EXPECT_NEAR(loss.loss_sum, expected, 1e-5);
  EXPECT_NEAR(loss.nll, expected, 1e-5);
  EXPECT_NEAR(loss.loss.value().item(), expected / 4, 1e-5);
  backward(loss.loss);
  const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  EXPECT_NEAR(x.gradient().to_vector()[1], sigmoid(-1) / 12, 1e-6);
  EXPECT_NEAR(x.gradient().to_vector()[4], -1.0 / 12, 1e-6);
}

TEST(BinaryCrossEntropy, IsSmoothedTowardsBothAnswers) {
  const Variable x = matrix({1}, {1, 1});
  const double yes = std::log1p(std::exp(-1.0)), no = std::log1p(std::exp(1.0));
  const CrossEntropy loss = binary_cross_entropy(x, Targets{1}, {.label_smoothing = 0.2f});
  EXPECT_NEAR(loss.loss_sum, 0.9 * yes + 0.1 * no, 1e-6);
  EXPECT_NEAR(loss.nll, yes, 1e-6);
}

TEST(BinaryCrossEntropy, TakesProbabilitiesOfLabels) {
  const Variable x = matrix({2, -1, 0.5f, 3}, {2, 2});
  const CrossEntropy loss = binary_cross_entropy(x, Targets{0.9f, 0.2f, 0, 1});
  const auto one = [](double v, double target) {
    return target * std::log1p(std::exp(-v)) + (1 - target) * std::log1p(std::exp(v));
  };
  const double expected = (one(2, 0.9) + one(-1, 0.2) + one(0.5, 0) + one(3, 1)) / 2;
  EXPECT_NEAR(loss.loss_sum, expected, 1e-5);
  EXPECT_NEAR(loss.loss.value().item(), expected / 2, 1e-5);
  EXPECT_THROW(binary_cross_entropy(x, Targets{0.5f}), ShapeError);
  EXPECT_THROW(binary_cross_entropy(x, Targets{0.9f, 0, 0, 1}, {.label_smoothing = 0.1f}),
               ConfigError);
}

TEST(BinaryCrossEntropy, NeedsATargetForEveryLogit) {
  EXPECT_THROW(binary_cross_entropy(matrix({1, 2}, {1, 2}), Targets{1}), ShapeError);
  EXPECT_THROW(binary_cross_entropy(matrix({1, 2}, {1, 2}), Targets{1, 2}), ShapeError);
  EXPECT_THROW(binary_cross_entropy(matrix({1, 2}, {2}), Targets{1, 0}), ShapeError);
}

TEST(SquaredError, IsTheMeanUnlessNormalizedOtherwise) {
  const Tensor targets = Tensor::from(std::vector<float>{1, -1}, {2, 1});
  const Variable x = matrix({3, -2}, {2, 1});
  EXPECT_EQ(squared_error(x, targets).loss.value().item(), 2.5f);
  const SquaredError error = squared_error(x, targets, 10);
  EXPECT_EQ(error.loss.value().item(), 0.5f);
  EXPECT_EQ(double{error.loss_sum}, 5);
  backward(error.loss);
  EXPECT_EQ(x.gradient().to_vector(), (std::vector<float>{0.4f, -0.2f}));
  EXPECT_THROW(squared_error(x, Tensor::zeros({2})), ShapeError);
}

}  // namespace
}  // namespace attend
