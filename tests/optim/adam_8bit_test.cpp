#include "attend/optim/adam_8bit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "attend/backend/backend.h"
#include "attend/core/random/random.h"
#include "attend/optim/optimizer_choice.h"
#include "core/scoped_threads.h"

namespace attend {
namespace {

void declare_parameters(ParameterSet& parameters) {
  parameters.add("a", {700}, {Init::Kind::normal, 1.0f});
  parameters.add("layers.0.b", {300}, {Init::Kind::normal, 1.0f});
  parameters.allocate(1);
}

// Gradients towards a goal: convex, with noise of another size for each parameter.
void noisy_gradients(const ParameterSet& parameters, std::uint64_t step) {
  Random random({7, step});
  const std::span<float> values = parameters.values().span(), g = parameters.gradients().span();
  for (std::size_t i = 0; i < g.size(); ++i) {
    const float noise = std::pow(10.0f, -static_cast<float>(i % 5));
    g[i] = values[i] - 0.5f + noise * random.normal();
  }
}

double distance_to_goal(const ParameterSet& parameters) {
  double sum = 0;
  for (const float value : parameters.values().to_vector()) sum += std::abs(double{value} - 0.5);
  return sum / static_cast<double>(parameters.size());
}

double after_steps(OptimizerKind kind, int steps, float layer_decay = 1.0f) {
  ParameterSet parameters;
  declare_parameters(parameters);
  OptimizerOptions options{
      .kind = kind, .layer_decay = layer_decay, .adam = {.beta2 = 0.999f}, .muon = {}};
  const auto optimizer = make_optimizer(parameters, options);
  for (int step = 1; step <= steps; ++step) {
    noisy_gradients(parameters, static_cast<std::uint64_t>(step));
    optimizer->step(0.01f);
  }
  return distance_to_goal(parameters);
}

TEST(Adam8Bit, GoesWhereAdamGoes) {
  const double begin = after_steps(OptimizerKind::adam, 0),
               plain = after_steps(OptimizerKind::adam, 300),
               small = after_steps(OptimizerKind::adam8bit, 300);
  EXPECT_LT(plain, begin / 10);
  EXPECT_NEAR(small, plain, 0.2 * plain);
  EXPECT_NE(small, plain);
  EXPECT_NEAR(after_steps(OptimizerKind::adam8bit, 300, 0.5f),
              after_steps(OptimizerKind::adam, 300, 0.5f), 0.2 * plain)
      << "with learning rates by layer";
}

TEST(Adam8Bit, TakesAFirstStepLikeAdam) {
  ParameterSet one, two;
  declare_parameters(one);
  declare_parameters(two);
  Adam adam(one, {});
  Adam8Bit small(two, {}, parameter_groups(two));
  noisy_gradients(one, 1);
  noisy_gradients(two, 1);
  EXPECT_EQ(double{adam.step(0.01f)}, double{small.step(0.01f)});
  EXPECT_EQ(one.values().to_vector(), two.values().to_vector());
}

TEST(Adam8Bit, KeepsAQuarterOfTheMemory) {
  ParameterSet parameters;
  declare_parameters(parameters);
  const Adam8Bit optimizer(parameters, {}, parameter_groups(parameters));
  std::int64_t bytes = 0;
  for (const auto& [name, tensor] : optimizer.state())
    bytes += tensor.size() * static_cast<std::int64_t>(size_of(tensor.dtype()));
  EXPECT_EQ(bytes, Adam8Bit::state_bytes(1000));
  EXPECT_LT(bytes, 1000 * 8 * 0.26);
}

TEST(Adam8Bit, IsAFunctionOfItsStateWithAnyNumberOfThreads) {
  const auto run = [](int threads, int split) {
    const ScopedThreads scope(threads);
    ParameterSet parameters;
    declare_parameters(parameters);
    std::unique_ptr<Adam8Bit> optimizer =
        std::make_unique<Adam8Bit>(parameters, AdamOptions{}, parameter_groups(parameters));
    for (int step = 1; step <= 8; ++step) {
      if (step == split) {  // as a checkpoint does
        auto next =
            std::make_unique<Adam8Bit>(parameters, AdamOptions{}, parameter_groups(parameters));
        const auto from = optimizer->state(), to = next->state();
        for (std::size_t i = 0; i < from.size(); ++i) to[i].second.copy_from(from[i].second);
        next->set_steps(optimizer->steps());
        optimizer = std::move(next);
      }
      noisy_gradients(parameters, static_cast<std::uint64_t>(step));
      optimizer->step(0.01f);
    }
    return parameters.values().to_vector();
  };
  const std::vector<float> whole = run(1, 0);
  EXPECT_EQ(run(3, 0), whole);
  EXPECT_EQ(run(2, 5), whole);
}

// A parameter whose gradients are far smaller than its neighbors' must not fly off.
TEST(Adam8Bit, BoundsTheStepsOfSmallGradients) {
  ParameterSet parameters;
  declare_parameters(parameters);
  Adam8Bit optimizer(parameters, {}, parameter_groups(parameters));
  for (int step = 1; step <= 100; ++step) {
    const std::vector<float> before = parameters.values().to_vector();
    Random random({9, static_cast<std::uint64_t>(step)});
    const std::span<float> g = parameters.gradients().span();
    for (std::size_t i = 0; i < g.size(); ++i)
      g[i] = random.normal() * std::pow(10.0f, -static_cast<float>(i % 12));
    optimizer.step(0.01f);
    const std::vector<float> after = parameters.values().to_vector();
    for (std::size_t i = 0; i < before.size(); ++i)
      ASSERT_LT(std::abs(after[i] - before[i]), 0.1f) << i << " at step " << step;
  }
}

}  // namespace
}  // namespace attend
