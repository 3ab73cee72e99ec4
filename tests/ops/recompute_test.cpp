// Here because what is computed again is made of ops.
#include "attend/autograd/recompute.h"

#include <gtest/gtest.h>

#include "attend/ops/elementwise.h"

namespace attend {
namespace {

Variable leaf_of(std::vector<float> values, bool trained = true) {
  const auto count = std::ssize(values);
  return Variable(Tensor::from(values, {count}), trained);
}

TEST(Recomputed, HasTheValueAndTheGradientsOfTheFunction) {
  const Variable a = leaf_of({1, -2, 3}), b = leaf_of({0.5f, 4, -1}), weight = leaf_of({2, 3, 4});
  int calls = 0;
  const auto function = [&](const std::vector<Variable>& in) {
    ++calls;
    return multiply(multiply(in[0], in[1]), add(weight, in[0]));
  };
  const Variable y = recomputed({a, b}, function);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(y.value().to_vector(), (std::vector<float>{1.5f, -8, -21}));
  backward(sum(y));
  EXPECT_EQ(calls, 2);
  const Variable c = leaf_of({1, -2, 3}), d = leaf_of({0.5f, 4, -1}), plain = leaf_of({2, 3, 4});
  backward(sum(multiply(multiply(c, d), add(plain, c))));
  EXPECT_EQ(a.gradient().to_vector(), c.gradient().to_vector());
  EXPECT_EQ(b.gradient().to_vector(), d.gradient().to_vector());
  EXPECT_EQ(weight.gradient().to_vector(), plain.gradient().to_vector());
}

TEST(Recomputed, TrainsLeavesOfAConstantInput) {
  const Variable x = leaf_of({1, 2}, false), weight = leaf_of({3, 4});
  backward(sum(recomputed({x}, [&](const auto& in) { return multiply(in[0], weight); })));
  EXPECT_EQ(weight.gradient().to_vector(), (std::vector<float>{1, 2}));
}

TEST(Recomputed, IsNotRecomputedWhereNothingIsTrained) {
  const Variable x = leaf_of({1, 2}, false), weight = leaf_of({3, 4}, false);
  const Variable y = recomputed({x}, [&](const auto& in) { return multiply(in[0], weight); });
  EXPECT_FALSE(y.requires_gradient());
  const Variable trained = leaf_of({3, 4});
  const NoGradient guard;
  EXPECT_FALSE(
      recomputed({trained}, [](const auto& in) { return scale(in[0], 2.0f); }).requires_gradient());
}

TEST(Recomputed, AddsToAGradientThatIsThereAlready) {
  const Variable x = leaf_of({1, 2});
  const auto twice = [](const std::vector<Variable>& in) { return multiply(in[0], in[0]); };
  const Variable first = recomputed({x}, twice), second = recomputed({x}, twice);
  backward(sum(add(add(first, x), second)));
  EXPECT_EQ(x.gradient().to_vector(), (std::vector<float>{5, 9}));
}

TEST(Recomputed, CanBeNested) {
  const Variable x = leaf_of({1, 2}), weight = leaf_of({3, 4});
  const auto inner = [&](const std::vector<Variable>& in) { return multiply(in[0], weight); };
  const auto outer = [&](const std::vector<Variable>& in) { return recomputed({in[0]}, inner); };
  backward(sum(recomputed({x}, outer)));
  EXPECT_EQ(x.gradient().to_vector(), (std::vector<float>{3, 4}));
  EXPECT_EQ(weight.gradient().to_vector(), (std::vector<float>{1, 2}));
}

TEST(NoGradient, KnowsWhetherAGradientWasMissed) {
  const Variable constant = leaf_of({1}, false), leaf = leaf_of({1});
  const NoGradient outer;
  {
    const NoGradient guard;
    add(constant, constant);
    EXPECT_FALSE(guard.missed());
    add(constant, leaf);
    EXPECT_TRUE(guard.missed());
  }
  EXPECT_TRUE(outer.missed());
}

}  // namespace
}  // namespace attend
