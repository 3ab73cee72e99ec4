// What is expected of R-Drop, whatever the task: two passes with different dropout that agree.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "attend/train/objective.h"

namespace attend {

inline BatchLoss first_loss(Objective& objective) {
  Pass pass = Pass::training(1, 1);
  return objective.loss(0, 0, 1.0, pass);
}

// Both are without dropout, and only `two` makes two passes.
inline void expect_nothing_to_agree_on(Objective& one, Objective& two) {
  const BatchLoss a = first_loss(one), b = first_loss(two);
  EXPECT_NEAR(a.loss_sum, b.loss_sum, 1e-5 * a.loss_sum);
  EXPECT_NEAR(a.nll_sum, b.nll_sum, 1e-5 * a.nll_sum);
  backward(a.loss);
  backward(b.loss);
  const std::vector<float> expected = one.parameters().gradients().to_vector(),
                           actual = two.parameters().gradients().to_vector();
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(actual[i], expected[i], 2e-5) << "gradient " << i;
}

// `strong` punishes disagreement more than `weak`, by at least `more`; `none` does not at all.
inline void expect_punished_disagreement(Objective& none, Objective& weak, Objective& strong,
                                         double more) {
  const BatchLoss a = first_loss(weak), b = first_loss(strong);
  EXPECT_EQ(a.nll_sum, b.nll_sum);
  EXPECT_GT(b.loss_sum, a.loss_sum + more);
  EXPECT_EQ(none.validate().loss, strong.validate().loss) << "in training alone";
}

}  // namespace attend
