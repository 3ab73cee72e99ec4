#include "attend/ops/losses/distillation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "attend/error.h"
#include "attend/ops/softmax.h"
#include "ops/operands.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

const Ids kTargets = std::vector<std::int32_t>{1, 0};

Variable logits_of(std::vector<float> values) {
  return Variable(Tensor::from(values, {2, 2}), true);
}

TEST(DistilledCrossEntropy, IsTheCrossEntropyWithoutATeacher) {
  const Variable one = logits_of({1, 2, -1, 0.5f}), two = logits_of({1, 2, -1, 0.5f});
  const CrossEntropyOptions options{0.1f, 4.0};
  const CrossEntropy distilled =
                         distilled_cross_entropy(one, Tensor::zeros({2, 2}), kTargets, 0, options),
                     plain = cross_entropy(two, kTargets, options);
  EXPECT_FLOAT_EQ(distilled.loss.value().item(), plain.loss.value().item());
  EXPECT_NEAR(double{distilled.loss_sum}, double{plain.loss_sum}, 1e-6);
  EXPECT_EQ(double{distilled.nll}, double{plain.nll});
  backward(distilled.loss);
  backward(plain.loss);
  EXPECT_LE(largest_difference(one.gradient(), two.gradient()), 1e-7);
}

TEST(DistilledCrossEntropy, IsTheDivergenceFromTheTeacher) {
  // Q = (.5, .5) and P = (.2, .8) in each row.
  const Variable logits = logits_of({0, std::log(4.0f), 0, std::log(4.0f)});
  const CrossEntropy result = distilled_cross_entropy(logits, Tensor::zeros({2, 2}), kTargets, 1);
  const double divergence = 0.5 * std::log(0.5 / 0.2) + 0.5 * std::log(0.5 / 0.8);
  EXPECT_NEAR(double{result.loss_sum}, 2 * divergence, 1e-6);
  EXPECT_NEAR(result.loss.value().item(), divergence, 1e-6) << "per target";
  EXPECT_NEAR(double{result.nll}, -std::log(0.8) - std::log(0.2), 1e-6) << "of the targets";
}

TEST(DistilledCrossEntropy, IsZeroForTheTeacherItself) {
  const Variable logits = logits_of({1, 2, -1, 0.5f});
  const CrossEntropy result = distilled_cross_entropy(logits, logits.value(), kTargets, 1);
  EXPECT_NEAR(double{result.loss_sum}, 0, 1e-6);
  backward(result.loss);
  for (const float value : logits.gradient().to_vector()) EXPECT_NEAR(value, 0, 1e-6);
}

TEST(PairedDistilledCrossEntropy, IsTheMeanAndTheDivergenceOfBoth) {
  // P = (.2, .8) and Q = (.5, .5) in each row.
  const float four = std::log(4.0f);
  const Variable logits(Tensor::from(std::vector<float>{0, four, 0, four, 0, 0, 0, 0}, {4, 2}),
                        true);
  const Tensor teacher = Tensor::from(std::vector<float>{1, 2, 0, 1}, {2, 2});
  const auto alone = [&](std::vector<float> values) {
    return double{
        distilled_cross_entropy(logits_of(std::move(values)), teacher, kTargets, 0.3f, {0.1f})
            .loss_sum};
  };
  const double mean = (alone({0, four, 0, four}) + alone({0, 0, 0, 0})) / 2;
  const double apart = 2 * (0.2 - 0.5) * (std::log(0.2) - std::log(0.5)) +
                       2 * (0.8 - 0.5) * (std::log(0.8) - std::log(0.5));
  const CrossEntropy result =
      paired_distilled_cross_entropy(logits, teacher, kTargets, 0.3f, 2, {0.1f});
  EXPECT_NEAR(double{result.loss_sum}, mean + 2.0 / 4 * apart, 1e-5);
  EXPECT_NEAR(result.loss.value().item(), (mean + 2.0 / 4 * apart) / 2, 1e-5) << "per target";
}

TEST(SoftCrossEntropy, IsThatOfADistribution) {
  // P = (.2, .8) in each row.
  const Variable logits = logits_of({0, std::log(4.0f), 0, std::log(4.0f)});
  const Tensor targets = Tensor::from(std::vector<float>{0.5f, 0.5f, 0, 1}, {2, 2});
  const CrossEntropy result = soft_cross_entropy(logits, targets);
  const double expected = -0.5 * std::log(0.2) - 1.5 * std::log(0.8);
  EXPECT_NEAR(double{result.loss_sum}, expected, 1e-6);
  EXPECT_NEAR(result.loss.value().item(), expected / 2, 1e-6);
  EXPECT_NEAR(soft_cross_entropy(logits, targets, 4).loss.value().item(), expected / 4, 1e-6);
  expect_error<ShapeError>(
      [&] {
        soft_cross_entropy(logits, Tensor::zeros({2, 3}));
      },
      {"[soft_cross_entropy]", "[2, 2]", "[2, 3]"});
}

TEST(MeanOfTeachers, IsTheMeanOfTheirProbabilities) {
  const auto logits = [](std::vector<float> values) { return Tensor::from(values, {1, 2}); };
  const Variable mean =
      softmax(Variable(mean_of_teachers({logits({3, 3 + std::log(4.0f)}), logits({-1, -1})})));
  EXPECT_NEAR(mean.value().to_vector()[0], 0.35, 1e-6);
  EXPECT_EQ(mean_of_teachers({logits({3, 4})}).to_vector(), (std::vector<float>{3, 4}));
}

TEST(DistilledCrossEntropy, RefusesOtherShapesAndWeights) {
  const Variable logits = logits_of({1, 2, 3, 4});
  expect_error<ShapeError>(
      [&] {
        distilled_cross_entropy(logits, Tensor::zeros({2, 3}), kTargets, 0.5f);
      },
      {"[distilled_cross_entropy]", "[2, 2]", "[2, 3]"});
  for (const float weight : {-0.1f, 1.1f, NAN})
    expect_error<ConfigError>(
        [&] {
          distilled_cross_entropy(logits, Tensor::zeros({2, 2}), kTargets, weight);
        },
        {"[distilled_cross_entropy]", "weight"});
  expect_error<ShapeError>(
      [&] {
        paired_distilled_cross_entropy(logits, Tensor::zeros({2, 2}), kTargets, 1, 1);
      },
      {"[paired_distilled_cross_entropy]"});
  expect_error<ConfigError>(
      [&] {
        paired_distilled_cross_entropy(logits, Tensor::zeros({1, 2}), kTargets, 1, -1);
      },
      {"[paired_distilled_cross_entropy]", "divergence"});
}

}  // namespace
}  // namespace attend
