#include "attend/nn/layers.h"

#include <gtest/gtest.h>

#include <vector>

#include "attend/ops/elementwise.h"
#include "attend/ops/linear.h"
#include "ops/operands.h"

namespace attend {
namespace {

Variable input(std::int64_t rows, std::int64_t width) {
  Random random({1, 2});
  return Variable(normal_tensor({rows, width}, random), true);
}

std::vector<std::string> names(const ParameterSet& parameters) {
  std::vector<std::string> result;
  for (const auto& entry : parameters.entries())
    result.push_back(entry.name + " " + to_string(entry.shape));
  return result;
}

TEST(Linear, HasAWeightAndMayHaveABias) {
  ParameterSet parameters;
  const Linear with(parameters, "a", 3, 5), without(parameters, "b", 3, 5, false);
  parameters.allocate(1);
  EXPECT_EQ(names(parameters),
            (std::vector<std::string>{"a.weight [5, 3]", "a.bias [5]", "b.weight [5, 3]"}));
  const Variable x = input(4, 3);
  const Pass pass = Pass::inference();
  const auto& entries = parameters.entries();
  EXPECT_TRUE(same_bits(with.forward(x, pass, Activation::relu).value(),
                        linear(x, Variable(parameters.value(entries[0])),
                               Variable(parameters.value(entries[1])), {Activation::relu})
                            .value()));
  EXPECT_TRUE(same_bits(without.forward(x, pass).value(),
                        linear(x, Variable(parameters.value(entries[2]))).value()));
}

TEST(Norm, BeginsAsPlainNormalization) {
  ParameterSet parameters;
  const Norm norm(parameters, "n", 16, NormOptions{});
  parameters.allocate(1);
  EXPECT_EQ(names(parameters), (std::vector<std::string>{"n.weight [16]", "n.bias [16]"}));
  const Tensor y = norm.forward(input(3, 16)).value();
  for (std::int64_t r = 0; r < 3; ++r) {
    EXPECT_NEAR(backend()->sum(y.slice_rows(r, r + 1)), 0.0, 1e-5);
    EXPECT_NEAR(backend()->sum_of_squares(y.slice_rows(r, r + 1)), 16.0, 1e-2);
  }
}

TEST(Norm, OfRmsKindHasNoBiasAndLeavesTheMeanInPlace) {
  ParameterSet parameters;
  const Norm norm(parameters, "n", 16, {NormKind::rms, 1e-6f});
  parameters.allocate(1);
  EXPECT_EQ(names(parameters), (std::vector<std::string>{"n.weight [16]"}));
  const Variable x = input(3, 16);
  const Tensor y = norm.forward(x).value();
  for (std::int64_t r = 0; r < 3; ++r) {
    const Tensor in = x.value().slice_rows(r, r + 1), out = y.slice_rows(r, r + 1);
    EXPECT_NEAR(backend()->sum_of_squares(out), 16.0, 1e-3);
    EXPECT_NEAR(out.data()[5] / out.data()[2], in.data()[5] / in.data()[2], 1e-4);
  }
}

TEST(Norm, WithoutABiasCentersAndShiftsNothing) {
  ParameterSet parameters;
  const Norm norm(parameters, "n", 16, {.bias = false});
  parameters.allocate(1);
  EXPECT_EQ(names(parameters), (std::vector<std::string>{"n.weight [16]"}));
  const Variable x = input(3, 16);
  const Tensor y = norm.forward(x).value();
  for (std::int64_t r = 0; r < 3; ++r) {
    EXPECT_NEAR(backend()->sum(y.slice_rows(r, r + 1)), 0.0, 1e-5);
    EXPECT_NEAR(backend()->sum_of_squares(y.slice_rows(r, r + 1)), 16.0, 1e-2);
  }
  const Variable branch = input(3, 16);
  EXPECT_LE(largest_difference(norm.forward_residual(x, branch, {}).value(),
                               norm.forward(add(x, branch)).value()),
            1e-6);
}

TEST(FeedForward, IsTwoMapsWithAnActivationBetweenThem) {
  for (const Activation activation : {Activation::relu, Activation::gelu}) {
    ParameterSet parameters;
    const FeedForward network(parameters, "ff", {6, 10, activation, 0.0f});
    parameters.allocate(1);
    EXPECT_EQ(names(parameters),
              (std::vector<std::string>{"ff.linear1.weight [10, 6]", "ff.linear1.bias [10]",
                                        "ff.linear2.weight [6, 10]", "ff.linear2.bias [6]"}));
    Pass pass = Pass::inference();
    const Variable x = input(4, 6);
    const auto part = [&](std::size_t i) {
      return Variable(parameters.value(parameters.entries()[i]));
    };
    const Variable composed =
        linear(activate(linear(x, part(0), part(1)), activation), part(2), part(3));
    EXPECT_LE(largest_difference(network.forward(x, pass).value(), composed.value()), 1e-6);
  }
}

TEST(FeedForward, GatedMultipliesTheActivatedMapByAnother) {
  ParameterSet parameters;
  const FeedForward network(
      parameters, "ff", {.d_model = 6, .d_ff = 10, .activation = Activation::gelu, .gated = true});
  parameters.allocate(1);
  EXPECT_EQ(names(parameters),
            (std::vector<std::string>{"ff.linear1.weight [10, 6]", "ff.linear1.bias [10]",
                                      "ff.linear_gate.weight [10, 6]", "ff.linear_gate.bias [10]",
                                      "ff.linear2.weight [6, 10]", "ff.linear2.bias [6]"}));
  Random random({2, 3});
  const auto part = [&](std::size_t i) {
    return Variable(parameters.value(parameters.entries()[i]));
  };
  for (const std::size_t bias : {1, 3, 5}) fill_normal(part(bias).value(), random, 1.0f);
  const Variable x = input(4, 6);
  Pass pass = Pass::inference();
  const Variable gated = multiply(activate(linear(x, part(0), part(1)), Activation::gelu),
                                  linear(x, part(2), part(3)));
  EXPECT_LE(
      largest_difference(network.forward(x, pass).value(), linear(gated, part(4), part(5)).value()),
      1e-5);
}

TEST(FeedForward, DropsAfterTheActivationInTraining) {
  ParameterSet parameters;
  const FeedForward network(parameters, "ff", {6, 10, Activation::relu, 0.5f});
  parameters.allocate(1);
  const Variable x = input(4, 6);
  Pass pass = Pass::training(1, 1), again = Pass::training(1, 1);
  const auto part = [&](std::size_t i) {
    return Variable(parameters.value(parameters.entries()[i]));
  };
  const Variable hidden =
      dropout(linear(x, part(0), part(1), {Activation::relu}), again.dropout(0.5f));
  EXPECT_TRUE(
      same_bits(network.forward(x, pass).value(), linear(hidden, part(2), part(3)).value()));
}

// f(x) = 3 x as the sublayer.
constexpr NormOptions kNorm{NormKind::layer, 1e-3f};

Variable triple(const Variable& x) { return scale(x, 3.0f); }

struct Connection {
  Connection(float dropout, bool norm_first)
      : module(parameters, "c", {8, kNorm, dropout, norm_first}, "f"), norm(other, "c", 8, kNorm) {
    parameters.allocate(1);
    other.allocate(1);
  }
  template <class Sublayer>
  Variable forward(const Variable& x, Pass& pass, const Sublayer& sublayer) const {
    return module.add(x, sublayer(module.input(x, pass)), pass);
  }
  ParameterSet parameters, other;
  SublayerConnection module;
  Norm norm;
};

TEST(SublayerConnection, NormalizesTheSumInPostNorm) {
  for (const float p : {0.0f, 0.4f}) {
    const Connection c(p, false);
    const Variable x = input(4, 8);
    Pass pass = Pass::training(1, 1), again = Pass::training(1, 1);
    const Variable expected = c.norm.forward(add(x, dropout(triple(x), again.dropout(p))));
    EXPECT_LE(largest_difference(c.forward(x, pass, triple).value(), expected.value()), 2e-6);
  }
}

TEST(SublayerConnection, NormalizesTheInputInPreNorm) {
  for (const float p : {0.0f, 0.4f}) {
    const Connection c(p, true);
    const Variable x = input(4, 8);
    Pass pass = Pass::training(1, 1), again = Pass::training(1, 1);
    const Variable expected = add(x, dropout(triple(c.norm.forward(x)), again.dropout(p)));
    EXPECT_TRUE(same_bits(c.forward(x, pass, triple).value(), expected.value()));
  }
}

TEST(SublayerConnection, ScalesWhatItAdds) {
  for (const bool norm_first : {false, true}) {
    ParameterSet parameters;
    const SublayerConnection module(
        parameters, "c", {.width = 8, .norm = kNorm, .norm_first = norm_first, .scale = 0.5f}, "f");
    parameters.allocate(1);
    const Connection c(0.0f, norm_first);
    const Variable x = input(4, 8), branch = input(4, 8);
    Pass pass = Pass::inference();
    EXPECT_TRUE(same_bits(module.add(x, branch, pass).value(),
                          c.module.add(x, scale(branch, 0.5f), pass).value()));
  }
}

}  // namespace
}  // namespace attend
