#include "attend/ops/losses/sampled_cross_entropy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "attend/backend/backend.h"
#include "attend/error.h"
#include "backend/scoped_backend.h"
#include "ops/operands.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

class SampledCrossEntropy : public testing::TestWithParam<const char*> {
 protected:
  SampledCrossEntropy()
      : backend_(std::string(GetParam()) == "fast" ? fast_backend() : reference_backend()) {
    Random random({5, 1});
    x_ = Variable(normal_tensor({kRows, kWidth}, random), true);
    weight_ = Variable(normal_tensor({kClasses, kWidth}, random, 0.5f), true);
    std::vector<std::int32_t> targets;
    for (int n = 0; n < kRows; ++n)
      targets.push_back(static_cast<std::int32_t>(random.below(kClasses)));
    targets_ = ids(targets);
  }

  static constexpr int kRows = 600;  // more than one chunk
  static constexpr int kClasses = 40, kWidth = 8;
  ScopedBackend backend_;
  Variable x_, weight_;
  Ids targets_;
};

INSTANTIATE_TEST_SUITE_P(Backends, SampledCrossEntropy, testing::Values("fast", "reference"));

TEST_P(SampledCrossEntropy, OfAllClassesIsTheCrossEntropy) {
  std::vector<std::int32_t> all(kClasses);
  std::iota(all.begin(), all.end(), 0);
  const CrossEntropy sampled =
      sampled_cross_entropy(x_, weight_, {ids(all), std::vector<float>(kClasses, 0.0f)}, targets_);
  backward(sampled.loss);
  const Variable x(x_.value(), true), weight(weight_.value(), true);
  const CrossEntropy exact = projected_cross_entropy(x, {weight, {}}, targets_);
  backward(exact.loss);
  EXPECT_NEAR(sampled.loss_sum, exact.loss_sum, 1e-5 * exact.loss_sum);
  EXPECT_NEAR(sampled.loss.value().item(), exact.loss.value().item(), 1e-5);
  EXPECT_LE(largest_difference(x_.gradient(), x.gradient()), 1e-7);
  EXPECT_LE(largest_difference(weight_.gradient(), weight.gradient()), 1e-7);
}

// The formula of the header, row by row, for a sample in which targets are always, by chance, and
// not at all.
TEST_P(SampledCrossEntropy, IsItsFormula) {
  const std::vector<std::int32_t> classes{3, 7, 20, 21, 39};
  const std::vector<float> offset{0.0f, 1.5f, 0.0f, 0.3f, 4.0f};
  double expected = 0;
  for (int n = 0; n < kRows; ++n) {
    const auto logit = [&](std::int32_t v) {
      double sum = 0;
      for (int d = 0; d < kWidth; ++d)
        sum += double{x_.value().row(n)[d]} * weight_.value().row(v)[d];
      return sum;
    };
    const std::int32_t target = (*targets_)[static_cast<std::size_t>(n)];
    double normalizer = std::exp(logit(target));
    for (std::size_t c = 0; c < classes.size(); ++c) {
      if (classes[c] != target) normalizer += std::exp(logit(classes[c]) + offset[c]);
    }
    expected += std::log(normalizer) - logit(target);
  }
  EXPECT_NEAR(sampled_cross_entropy(x_, weight_, {ids(classes), offset}, targets_).loss_sum,
              expected, 1e-5 * expected);
}

// With every other class drawn with probability 1/2, the estimates of many samples have the exact
// loss as their mean, nearly: the logarithm of an unbiased estimate is a little low.
TEST_P(SampledCrossEntropy, EstimatesTheCrossEntropy) {
  const NoGradient guard;
  const double exact = projected_cross_entropy(x_, {weight_, {}}, targets_).loss_sum;
  Random random({6, 1});
  double mean = 0;
  constexpr int kDraws = 50;
  for (int draw = 0; draw < kDraws; ++draw) {
    std::vector<std::int32_t> classes;
    std::vector<float> offset;
    for (std::int32_t v = 0; v < kClasses; ++v) {
      if (random.uniform() >= 0.5f) continue;
      classes.push_back(v);
      offset.push_back(std::log(2.0f));
    }
    mean += sampled_cross_entropy(x_, weight_, {ids(classes), offset}, targets_).loss_sum / kDraws;
  }
  EXPECT_NEAR(mean, exact, 0.02 * exact);
}

TEST_P(SampledCrossEntropy, RefusesWhatDoesNotFit) {
  const ClassSample sample{ids({0, 1}), {0.0f, 0.0f}};
  expect_error<ShapeError>(
      [&] {
        sampled_cross_entropy(x_, weight_, {ids({0, kClasses}), {0.0f, 0.0f}}, targets_);
      },
      {"classes 0..39", "got 40"});
  expect_error<ShapeError>(
      [&] {
        sampled_cross_entropy(x_, weight_, {ids({0, 1}), {0.0f}}, targets_);
      },
      {"2 classes", "got 1"});
  expect_error<ShapeError>([&] { sampled_cross_entropy(x_, weight_, sample, ids({1})); },
                           {"targets [N]"});
  expect_error<ConfigError>(
      [&] {
        sampled_cross_entropy(x_, weight_, sample, targets_, {0.1f, 0.0});
      },
      {"label smoothing", "0.1"});
}

}  // namespace
}  // namespace attend
