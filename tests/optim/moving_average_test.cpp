#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "attend/error.h"
#include "attend/optim/moving_average.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

class MovingAverageTest : public testing::Test {
 protected:
  MovingAverageTest() {
    parameters_.add("x", {3}, {Init::Kind::ones});
    parameters_.allocate(1);
  }
  void set(float value) { std::ranges::fill(parameters_.values().span(), value); }
  ParameterSet parameters_;
};

TEST_F(MovingAverageTest, BeginsWithTheParametersAndIsACopy) {
  const MovingAverage average(parameters_, 0.9f);
  set(5.0f);
  EXPECT_EQ(average.values().to_vector(), (std::vector<float>{1, 1, 1}));
}

TEST_F(MovingAverageTest, FollowsItsFormula) {
  MovingAverage average(parameters_, 0.9f);
  double expected = 1;
  for (int n = 1; n <= 300; ++n) {
    const float value = std::sin(static_cast<float>(n));
    set(value);
    average.update(n);
    const double decay = std::min(0.9, (1.0 + n) / (10.0 + n));
    expected = decay * expected + (1 - decay) * static_cast<double>(value);
    ASSERT_NEAR(average.values().span()[1], expected, 1e-6) << "update " << n;
  }
}

TEST_F(MovingAverageTest, SoonForgetsTheBeginning) {
  MovingAverage average(parameters_, 0.9999f);
  set(0.0f);
  for (int n = 1; n <= 100; ++n) average.update(n);
  EXPECT_LT(average.values().span()[0], 1e-4f)
      << "with 0.9999 from the start 0.99 of the initial value would be left";
}

TEST_F(MovingAverageTest, RefusesADecayOutsideItsRange) {
  expect_error<ConfigError>([&] { MovingAverage(parameters_, 1.0f); },
                            {"ema_decay", "from 0 to below 1"});
  expect_error<ConfigError>([&] { MovingAverage(parameters_, -0.5f); }, {"ema_decay", "-0.5"});
}

}  // namespace
}  // namespace attend
