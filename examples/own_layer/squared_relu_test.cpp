// The gradient of the op, its value, and a training of the module.
#include "own_layer/squared_relu.h"

#include <gtest/gtest.h>

#include "attend/core/random/random.h"
#include "attend/ops/elementwise.h"
#include "attend/optim/adam.h"

namespace attend {
namespace {

Tensor normal_numbers(const Shape& shape, std::uint64_t stream) {
  Random random({1, stream});
  const Tensor x = Tensor::empty(shape);
  for (float& value : x.span()) value = random.normal();
  return x;
}

// The loss sum(dy * squared_relu(x)) has the gradient that backward() computes from dy.
double loss(const Tensor& x, const Tensor& dy) {
  const NoGradient guard;
  return sum(multiply(squared_relu(Variable(x)), Variable(dy))).value().item();
}

TEST(SquaredRelu, HasTheGradientThatDifferencesMeasure) {
  const Tensor x = normal_numbers({3, 5}, 1), dy = normal_numbers({3, 5}, 2);
  const Variable leaf(x.clone(), true);
  backward(squared_relu(leaf), dy);
  const std::vector<float> gradient = leaf.gradient().to_vector();
  constexpr float kStep = 0x1p-6f;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    float& element = x.span()[i];
    const float before = element;
    element = before + kStep;
    const double up = loss(x, dy);
    element = before - kStep;
    const double down = loss(x, dy);
    element = before;
    EXPECT_NEAR(gradient[i], (up - down) / (2.0 * kStep), 1e-3) << "element " << i;
  }
}

TEST(SquaredRelu, IsTheProductOfTwoReluBitForBit) {
  const Variable x(normal_numbers({7, 33}, 3));
  const Variable relu = activate(x, Activation::relu);
  EXPECT_EQ(squared_relu(x).value().to_vector(), multiply(relu, relu).value().to_vector());
}

// Learns to give back its input.
TEST(SquaredFeedForward, Learns) {
  ParameterSet parameters;
  const SquaredFeedForward network(parameters, "feed_forward", 8, 32);
  parameters.allocate(1);
  Adam adam(parameters, {});
  const Variable x(normal_numbers({64, 8}, 4));
  const auto step = [&] {
    parameters.gradients().zero();
    const Variable error = add(network.forward(x, Pass::training(1, 0)), scale(x, -1.0f));
    const Variable total = sum(multiply(error, error));
    backward(total);
    adam.step(0.01f);
    return total.value().item();
  };
  const double before = step();
  for (int i = 0; i < 200; ++i) step();
  EXPECT_LT(step(), before / 20);
}

}  // namespace
}  // namespace attend
