#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "attend/backend/backend.h"
#include "attend/ops/losses/cross_entropy.h"
#include "backend/scoped_backend.h"
#include "ops/operands.h"

namespace attend {
namespace {

class PairedCrossEntropy : public testing::TestWithParam<const char*> {
 protected:
  PairedCrossEntropy()
      : backend_(std::string(GetParam()) == "fast" ? fast_backend() : reference_backend()) {
    Random random({5, 1});
    x_ = normal_tensor({2 * kRows, kWidth}, random);
    weight_ = normal_tensor({kClasses, kWidth}, random, 0.5f);
    std::vector<std::int32_t> targets;
    for (int n = 0; n < kRows; ++n)
      targets.push_back(static_cast<std::int32_t>(random.below(kClasses)));
    targets_ = ids(targets);
    targets.insert(targets.end(), targets.begin(), targets.end());
    targets_of_both_ = ids(targets);
  }

  static constexpr int kRows = 600;  // more than one chunk
  static constexpr int kClasses = 40, kWidth = 8;
  double loss_sum(float divergence) const {
    const NoGradient guard;
    return paired_cross_entropy(Variable(x_), {Variable(weight_), {}}, targets_, divergence)
        .loss_sum;
  }

  ScopedBackend backend_;
  Tensor x_, weight_;
  Ids targets_, targets_of_both_;
};

INSTANTIATE_TEST_SUITE_P(Backends, PairedCrossEntropy, testing::Values("fast", "reference"));

TEST_P(PairedCrossEntropy, WithoutDivergenceIsTheMeanOfBoth) {
  const Variable x(x_, true), weight(weight_, true), alone(x_, true), weight_alone(weight_, true);
  const CrossEntropy paired = paired_cross_entropy(x, {weight, {}}, targets_, 0.0f, {0.1f, 0.0});
  const CrossEntropy mean =
      projected_cross_entropy(alone, {weight_alone, {}}, targets_of_both_, {0.1f, 0.0});
  EXPECT_NEAR(paired.loss.value().item(), mean.loss.value().item(), 1e-5);
  EXPECT_NEAR(paired.loss_sum, mean.loss_sum / 2, 1e-5 * mean.loss_sum);
  EXPECT_NEAR(paired.nll, mean.nll / 2, 1e-5 * mean.nll);
  backward(paired.loss);
  backward(mean.loss);
  EXPECT_LE(largest_difference(x.gradient(), alone.gradient()), 1e-7);
  EXPECT_LE(largest_difference(weight.gradient(), weight_alone.gradient()), 1e-6);
}

TEST_P(PairedCrossEntropy, OfEqualPredictionsHasNoDivergence) {
  x_.slice_rows(kRows, 2 * kRows).copy_from(x_.slice_rows(0, kRows));
  EXPECT_NEAR(loss_sum(5.0f), loss_sum(0.0f), 1e-5 * loss_sum(0.0f));
}

// The formula of the header, row by row.
TEST_P(PairedCrossEntropy, AddsTheDivergenceBothWays) {
  double divergence = 0;
  const auto log_softmax_of = [&](int n) {
    std::vector<double> logits;
    double z = 0;
    for (int v = 0; v < kClasses; ++v) {
      double sum = 0;
      for (int d = 0; d < kWidth; ++d) sum += double{x_.row(n)[d]} * weight_.row(v)[d];
      logits.push_back(sum);
      z += std::exp(sum);
    }
    for (double& logit : logits) logit -= std::log(z);
    return logits;
  };
  for (int n = 0; n < kRows; ++n) {
    const std::vector<double> log_p = log_softmax_of(n), log_q = log_softmax_of(kRows + n);
    for (std::size_t v = 0; v < kClasses; ++v)
      divergence += (std::exp(log_p[v]) - std::exp(log_q[v])) * (log_p[v] - log_q[v]);
  }
  EXPECT_NEAR(loss_sum(3.0f) - loss_sum(0.0f), 3.0 / 4.0 * divergence, 1e-5 * loss_sum(3.0f));
}

}  // namespace
}  // namespace attend
