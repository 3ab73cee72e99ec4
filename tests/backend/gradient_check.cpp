#include "backend/gradient_check.h"

#include <gtest/gtest.h>

#include <cmath>

namespace attend {

void expect_gradient(const std::function<double()>& loss, const Tensor& x, const Tensor& gradient) {
  ASSERT_EQ(x.shape(), gradient.shape());
  constexpr float kStep = 0x1p-6f;
  for (std::int64_t r = 0; r < x.rows(); ++r) {
    for (std::int64_t c = 0; c < x.cols(); ++c) {
      float& element = x.row(r)[c];
      const float before = element;
      const auto at = [&](float steps) {
        element = before + steps * kStep;
        return loss();
      };
      // Measured from the values that f32 could hold, which are `step` apart up to 1e-6 of it.
      const double difference =
          (8.0 * (at(1.0f) - at(-1.0f)) - (at(2.0f) - at(-2.0f))) / (12.0 * kStep);
      element = before;
      const double found = gradient.row(r)[c];
      EXPECT_NEAR(found, difference, 5e-5 + 5e-4 * std::abs(difference))
          << "element (" << r << ", " << c << ")";
    }
  }
}

double weighted_sum(const Tensor& x, const Tensor& weight) {
  double total = 0.0;
  for (std::int64_t r = 0; r < x.rows(); ++r) {
    for (std::int64_t c = 0; c < x.cols(); ++c) total += double{x.row(r)[c]} * weight.row(r)[c];
  }
  return total;
}

}  // namespace attend
