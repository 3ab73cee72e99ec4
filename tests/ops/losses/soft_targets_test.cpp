#include "attend/ops/losses/soft_targets.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "attend/error.h"
#include "attend/ops/linear.h"
#include "attend/ops/losses/cross_entropy.h"
#include "attend/ops/losses/distillation.h"
#include "ops/operands.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

// Three targets of seven classes, and a teacher that knows four of them each.
class SoftTargetLoss : public testing::Test {
 protected:
  static constexpr std::int64_t kRows = 3, kClasses = 7, kWidth = 5;
  const Ids targets_ = {2, 0, 6};
  const std::vector<std::int32_t> classes_{2, 5, 1, 0, 3, 0, 4, 6, 1, 2, 3, 4};
  const std::vector<float> shares_{0.5f, 0.2f, 0.2f,  0.1f, 0.4f, 0.3f,
                                   0.2f, 0.1f, 0.25f, 0.3f, 0.4f, 0.05f};

  Tensor random(const Shape& shape, std::uint64_t seed) const {
    Random random({seed, 1});
    return normal_tensor(shape, random);
  }
  // The logits of a teacher with these probabilities, and none for other classes.
  Tensor teacher() const {
    std::vector<float> logits(kRows * kClasses, -40.0f);
    for (std::size_t i = 0; i < classes_.size(); ++i)
      logits[i / 4 * kClasses + static_cast<std::size_t>(classes_[i])] = std::log(shares_[i]);
    return Tensor::from(logits, {kRows, kClasses});
  }
  CrossEntropyOptions soft(float weight) const {
    CrossEntropyOptions options{0.1f, 2.5};
    options.soft = SoftTargets(classes_, shares_, 4, weight);
    return options;
  }
};

TEST_F(SoftTargetLoss, IsThatOfAllProbabilitiesOfATeacherWithoutOthers) {
  for (const float weight : {0.3f, 1.0f}) {
    const Variable x(random({kRows, kWidth}, 1), true), w(random({kClasses, kWidth}, 2), true);
    const Variable of_x(x.value().clone(), true), of_w(w.value().clone(), true);
    const CrossEntropy few = projected_cross_entropy(x, {w, {}}, targets_, soft(weight));
    const CrossEntropy all =
        distilled_cross_entropy(linear(of_x, of_w), teacher(), targets_, weight, {0.1f, 2.5});
    EXPECT_NEAR(few.loss.value().item(), all.loss.value().item(), 1e-6);
    EXPECT_NEAR(double{few.nll}, double{all.nll}, 1e-6) << "of the targets";
    backward(few.loss);
    backward(all.loss);
    EXPECT_LE(largest_difference(x.gradient(), of_x.gradient()), 1e-6);
    EXPECT_LE(largest_difference(w.gradient(), of_w.gradient()), 1e-6);
  }
}

TEST_F(SoftTargetLoss, IsThatOfAllProbabilitiesWithTwoPredictions) {
  const Variable x(random({2 * kRows, kWidth}, 1), true), w(random({kClasses, kWidth}, 2), true);
  const Variable of_x(x.value().clone(), true), of_w(w.value().clone(), true);
  const CrossEntropy few = paired_cross_entropy(x, {w, {}}, targets_, 2.0f, soft(0.3f));
  const CrossEntropy all = paired_distilled_cross_entropy(linear(of_x, of_w), teacher(), targets_,
                                                          0.3f, 2.0f, {0.1f, 2.5});
  EXPECT_NEAR(few.loss.value().item(), all.loss.value().item(), 1e-6);
  backward(few.loss);
  backward(all.loss);
  EXPECT_LE(largest_difference(x.gradient(), of_x.gradient()), 1e-6);
  EXPECT_LE(largest_difference(w.gradient(), of_w.gradient()), 1e-6);
}

TEST_F(SoftTargetLoss, TakesCappedLogits) {
  const Variable x(random({kRows, kWidth}, 1), true), w(random({kClasses, kWidth}, 2));
  CrossEntropyOptions options = soft(1.0f);
  options.logit_cap = 0.7f;
  const auto loss = [&](const Tensor& at) {
    return double{projected_cross_entropy(Variable(at), {w, {}}, targets_, options).loss_sum};
  };
  backward(projected_cross_entropy(x, {w, {}}, targets_, options).loss);
  std::vector<float> values = x.value().to_vector();
  const std::vector<float> gradient = x.gradient().to_vector();
  constexpr float kStep = 1e-2f;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::vector<float> more = values, less = values;
    more[i] += kStep;
    less[i] -= kStep;
    const double slope =
        (loss(Tensor::from(more, x.shape())) - loss(Tensor::from(less, x.shape()))) / (2 * kStep);
    EXPECT_NEAR(gradient[i], slope / 2.5, 2e-3) << i;
  }
}

TEST_F(SoftTargetLoss, DividesSharesByTheirSum) {
  std::vector<float> doubled = shares_;
  for (float& share : doubled) share *= 2;
  CrossEntropyOptions options = soft(0.5f), same = options;
  same.soft = SoftTargets(classes_, doubled, 4, 0.5f);
  const Variable x(random({kRows, kWidth}, 1)), w(random({kClasses, kWidth}, 2));
  EXPECT_NEAR(double{projected_cross_entropy(x, {w, {}}, targets_, options).loss_sum},
              double{projected_cross_entropy(x, {w, {}}, targets_, same).loss_sum}, 1e-6);
}

TEST_F(SoftTargetLoss, RefusesOthersThanItsTargetsAndClasses) {
  const Variable x(random({2, kWidth}, 1)), w(random({kClasses, kWidth}, 2)),
      few(random({6, kWidth}, 2)), three(random({kRows, kWidth}, 1));
  expect_error<ShapeError>(
      [&] {
        projected_cross_entropy(x, {w, {}}, Ids{2, 0}, soft(0.5f));
      },
      {"expected soft targets for 2 targets, got 3"});
  expect_error<ShapeError>(
      [&] {
        projected_cross_entropy(three, {few, {}}, Ids{2, 0, 1}, soft(0.5f));
      },
      {"expected soft targets of classes 0..5, got 6"});
  expect_error<ShapeError>([&] { SoftTargets(classes_, shares_, 5, 0.5f); }, {"rows of 5"});
  expect_error<ConfigError>([&] { SoftTargets(classes_, shares_, 4, 1.5f); },
                            {"expected a weight in [0, 1]"});
}

}  // namespace
}  // namespace attend
