// The values that parameters begin with.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "attend/nn/parameters/parameters.h"
#include "ops/operands.h"

namespace attend {
namespace {

struct Moments {
  double mean = 0.0, variance = 0.0, largest = 0.0;
};

Moments moments(const Tensor& x) {
  Moments m;
  for (const float value : x.to_vector()) {
    m.mean += value;
    m.variance += double{value} * value;
    m.largest = std::max(m.largest, std::abs(double{value}));
  }
  m.mean /= static_cast<double>(x.size());
  m.variance = m.variance / static_cast<double>(x.size()) - m.mean * m.mean;
  return m;
}

Tensor drawn(const Shape& shape, const Init& init, std::uint64_t seed = 1,
             const std::string& name = "weight") {
  ParameterSet parameters;
  const Parameter parameter = parameters.add(name, shape, init);
  parameters.allocate(seed);
  return parameter->value();
}

// Glorot & Bengio 2010: uniform in +-sqrt(6 / (fan_in + fan_out)), whose variance is limit^2 / 3.
TEST(Init, XavierIsUniformWithinItsLimit) {
  const Tensor x = drawn({300, 100}, {Init::Kind::xavier_uniform});
  const double limit = std::sqrt(6.0 / 400.0);
  const Moments m = moments(x);
  EXPECT_LE(m.largest, limit);
  EXPECT_GE(m.largest, 0.999 * limit);
  EXPECT_NEAR(m.mean, 0.0, 4.0 * limit / std::sqrt(3.0 * 30000.0));
  EXPECT_NEAR(m.variance, limit * limit / 3.0, 0.02 * limit * limit / 3.0);
}

TEST(Init, XavierCanBeScaledAndCountAnotherFanOut) {
  EXPECT_NEAR(moments(drawn({300, 100}, {Init::Kind::xavier_uniform, 0.5f})).largest,
              0.5 * std::sqrt(6.0 / 400.0), 1e-4);
  EXPECT_NEAR(moments(drawn({300, 100}, {Init::Kind::xavier_uniform, 1.0f, 900})).largest,
              std::sqrt(6.0 / 1000.0), 1e-4);
}

TEST(Init, NormalHasTheDeviationAskedFor) {
  const Moments m = moments(drawn({200, 200}, {Init::Kind::normal, 0.25f}));
  EXPECT_NEAR(m.mean, 0.0, 4.0 * 0.25 / 200.0);
  EXPECT_NEAR(std::sqrt(m.variance), 0.25, 0.25 * 0.015);
  EXPECT_GT(m.largest, 3.0 * 0.25);
}

TEST(Init, IsAFunctionOfSeedAndNameAlone) {
  const Init normal{Init::Kind::normal};
  EXPECT_TRUE(same_bits(drawn({7, 5}, normal, 1, "w"), drawn({7, 5}, normal, 1, "w")));
  EXPECT_FALSE(same_bits(drawn({7, 5}, normal, 1, "w"), drawn({7, 5}, normal, 2, "w")));
  EXPECT_FALSE(same_bits(drawn({7, 5}, normal, 1, "w"), drawn({7, 5}, normal, 1, "v")));
  ParameterSet parameters;
  parameters.add("another before it", {3}, normal);
  const Parameter w = parameters.add("w", {7, 5}, normal);
  parameters.allocate(1);
  EXPECT_TRUE(same_bits(w->value(), drawn({7, 5}, normal, 1, "w")))
      << "not of the order of declaration";
}

}  // namespace
}  // namespace attend
