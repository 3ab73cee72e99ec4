#include "attend/ops/losses/alignment_loss.h"

#include <gtest/gtest.h>

#include <cmath>

#include "attend/error.h"
#include "attend/ops/elementwise.h"

namespace attend {
namespace {

using Places = std::vector<std::int64_t>;

Variable vector(const std::vector<float>& values) {
  return Variable(Tensor::from(values, {std::ssize(values)}), true);
}

TEST(AlignmentLoss, IsThatOfTheLinkedPairs) {
  const Variable weights = vector({0.5f, 0.5f, 0.1f, 0.9f});
  const Variable loss = alignment_loss(weights, Places{0, 3}, 2.0f);
  EXPECT_NEAR(loss.value().item(), -2 * (std::log(0.5) + std::log(0.9)), 1e-6);
  backward(loss);
  const std::vector<float> gradient = weights.gradient().to_vector();
  EXPECT_FLOAT_EQ(gradient[0], -4.0f);
  EXPECT_FLOAT_EQ(gradient[1], 0.0f);
  EXPECT_FLOAT_EQ(gradient[2], 0.0f);
  EXPECT_FLOAT_EQ(gradient[3], -2.0f / 0.9f);
}

TEST(AlignmentLoss, IsZeroWithoutLinksAndFiniteForAWeightOfZero) {
  EXPECT_EQ(alignment_loss(vector({1, 0}), Places{}, 1.0f).value().item(), 0.0f);
  const Variable weights = vector({1, 0});
  const Variable loss = alignment_loss(weights, Places{1}, 1.0f);
  EXPECT_TRUE(std::isfinite(loss.value().item()));
  backward(loss);
  EXPECT_TRUE(std::isfinite(weights.gradient().to_vector()[1]));
}

TEST(AlignmentLoss, RefusesPlacesOutside) {
  EXPECT_THROW(alignment_loss(vector({1, 0}), Places{2}, 1.0f), ShapeError);
  EXPECT_THROW(alignment_loss(vector({1, 0}), Places{-1}, 1.0f), ShapeError);
}

TEST(BesideLoss, AddsTheGradientOfTheLossWhateverReachesTheValue) {
  const Variable x = vector({2, 3});
  const Variable y = beside_loss(scale(x, 10.0f), scale(sum(x), 0.5f));
  EXPECT_EQ(y.value().to_vector(), (std::vector<float>{20, 30}));
  backward(scale(sum(y), 7.0f));
  EXPECT_EQ(x.gradient().to_vector(), (std::vector<float>{70.5f, 70.5f}));
  EXPECT_THROW(beside_loss(x, x), ShapeError);
}

}  // namespace
}  // namespace attend
