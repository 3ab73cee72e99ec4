#include "attend/optim/adam.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "attend/backend/backend.h"
#include "attend/core/random/random.h"
#include "attend/error.h"
#include "backend/scoped_backend.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

constexpr std::int64_t kSize = 37 + 5;  // no multiple of a vector's width

void declare(ParameterSet& parameters, std::uint64_t seed) {
  parameters.add("a", {37}, {Init::Kind::normal, 1.0f});
  parameters.add("b", {5}, {Init::Kind::normal, 1.0f});
  parameters.allocate(seed);
}

// Another gradient at every step, of very different sizes.
void draw_gradient(const ParameterSet& parameters, std::uint64_t step) {
  Random random({7, step});
  const std::span<float> gradient = parameters.gradients().span();
  for (std::size_t i = 0; i < gradient.size(); ++i)
    gradient[i] = (random.uniform() - 0.5f) * std::pow(10.0f, static_cast<float>(i % 7) - 3.0f);
}

// Kingma & Ba 2015, algorithm 1, in double precision and as it is written there.
struct PlainAdam {
  AdamOptions options;
  std::vector<double> parameters, mean, variance;
  int t = 0;

  PlainAdam(const AdamOptions& o, const std::vector<float>& begin)
      : options(o),
        parameters(begin.begin(), begin.end()),
        mean(begin.size()),
        variance(begin.size()) {}

  void step(double learning_rate, const std::vector<float>& gradient) {
    ++t;
    double squares = 0;
    for (const double g : gradient) squares += g * g;
    const double norm = std::sqrt(squares), clip = options.clip_norm;
    const double scale = clip > 0 && norm > clip ? clip / norm : 1.0;
    const double beta1 = options.beta1, beta2 = options.beta2;
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      const double g = scale * gradient[i];
      mean[i] = beta1 * mean[i] + (1 - beta1) * g;
      variance[i] = beta2 * variance[i] + (1 - beta2) * g * g;
      const double unbiased_mean = mean[i] / (1 - std::pow(beta1, t)),
                   unbiased_variance = variance[i] / (1 - std::pow(beta2, t));
      parameters[i] -= learning_rate * options.weight_decay * parameters[i];
      parameters[i] -=
          learning_rate * unbiased_mean / (std::sqrt(unbiased_variance) + options.epsilon);
    }
  }
};

class AdamTest : public testing::TestWithParam<const char*> {
 protected:
  AdamTest() : backend_(std::string(GetParam()) == "fast" ? fast_backend() : reference_backend()) {
    declare(parameters_, 1);
  }

  // Fifty steps of both.
  void expect_equal_to_plain(const AdamOptions& options) {
    Adam adam(parameters_, options);
    PlainAdam plain(options, parameters_.values().to_vector());
    for (std::uint64_t step = 1; step <= 50; ++step) {
      const float learning_rate = 0.01f / static_cast<float>(step);
      draw_gradient(parameters_, step);
      adam.step(learning_rate);
      plain.step(learning_rate, parameters_.gradients().to_vector());
    }
    const std::vector<float> values = parameters_.values().to_vector();
    ASSERT_EQ(values.size(), static_cast<std::size_t>(kSize));
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_NEAR(values[i], plain.parameters[i], 2e-6) << "parameter " << i;
  }

  ParameterSet parameters_;

 private:
  ScopedBackend backend_;
};

TEST_P(AdamTest, EqualsThePaperInDoublePrecision) { expect_equal_to_plain({}); }

TEST_P(AdamTest, EqualsThePaperWithOtherOptions) {
  AdamOptions options;
  options.beta1 = 0.5f;
  options.beta2 = 0.999f;
  options.epsilon = 1e-3f;
  expect_equal_to_plain(options);
}

TEST_P(AdamTest, ClipsByTheNormOfTheWholeGradient) {
  AdamOptions options;
  options.clip_norm = 0.5f;
  options.epsilon = 0.1f;  // with a tiny epsilon, Adam hardly notices how long a gradient is
  expect_equal_to_plain(options);
}

TEST_P(AdamTest, DecaysWeightsApartFromTheGradient) {
  AdamOptions options;
  options.weight_decay = 0.1f;
  expect_equal_to_plain(options);

  ParameterSet still;
  declare(still, 2);
  const std::vector<float> before = still.values().to_vector();
  still.gradients().zero();
  Adam(still, options).step(0.5f);
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_FLOAT_EQ(still.values().span()[i], before[i] * (1 - 0.5f * 0.1f));
}

TEST_P(AdamTest, MovesEachParameterByTheLearningRateAtFirst) {
  const std::vector<float> before = parameters_.values().to_vector();
  draw_gradient(parameters_, 1);
  Adam(parameters_, {}).step(0.01f);
  for (std::size_t i = 0; i < before.size(); ++i) {
    const float direction = parameters_.gradients().span()[i] > 0 ? -1.0f : 1.0f;
    EXPECT_NEAR(parameters_.values().span()[i] - before[i], 0.01f * direction, 1e-5f);
  }
}

TEST_P(AdamTest, ReturnsTheSquaresBeforeClipping) {
  parameters_.gradients().zero();
  parameters_.gradients().span()[3] = 3.0f;
  parameters_.gradients().span()[40] = -4.0f;
  AdamOptions options;
  options.clip_norm = 1.0f;
  EXPECT_DOUBLE_EQ(Adam(parameters_, options).step(0.01f), 25.0);
}

TEST_P(AdamTest, DoesNotClipAShorterGradient) {
  ParameterSet other;
  declare(other, 1);
  draw_gradient(parameters_, 1);
  other.gradients().copy_from(parameters_.gradients());
  AdamOptions clipping;
  clipping.clip_norm = 1e6f;
  Adam(parameters_, clipping).step(0.01f);
  Adam(other, {}).step(0.01f);
  EXPECT_EQ(parameters_.values().to_vector(), other.values().to_vector());
}

TEST_P(AdamTest, GoesOnFromASavedState) {
  Adam whole(parameters_, {});
  for (std::uint64_t step = 1; step <= 5; ++step) {
    draw_gradient(parameters_, step);
    whole.step(0.01f);
  }
  ParameterSet other;
  declare(other, 99);
  other.values().copy_from(parameters_.values());
  Adam resumed(other, {});
  resumed.mean().copy_from(whole.mean());
  resumed.variance().copy_from(whole.variance());
  resumed.set_steps(whole.steps());
  EXPECT_EQ(resumed.steps(), 5);
  for (std::uint64_t step = 6; step <= 9; ++step) {
    draw_gradient(parameters_, step);
    draw_gradient(other, step);
    whole.step(0.01f);
    resumed.step(0.01f);
  }
  EXPECT_EQ(other.values().to_vector(), parameters_.values().to_vector());
  EXPECT_EQ(resumed.mean().to_vector(), whole.mean().to_vector());
  EXPECT_EQ(resumed.variance().to_vector(), whole.variance().to_vector());
}

TEST_P(AdamTest, RefusesWhatMakesNoSense) {
  const auto make = [&](auto&& change) {
    AdamOptions options;
    change(options);
    Adam(parameters_, options);
  };
  expect_error<ConfigError>([&] { make([](AdamOptions& o) { o.beta1 = 1.0f; }); },
                            {"adam_beta1", "from 0 to below 1", "1"});
  expect_error<ConfigError>([&] { make([](AdamOptions& o) { o.beta2 = -0.1f; }); },
                            {"adam_beta2", "-0.1"});
  expect_error<ConfigError>([&] { make([](AdamOptions& o) { o.epsilon = 0.0f; }); },
                            {"adam_epsilon", "above 0"});
  expect_error<ConfigError>([&] { make([](AdamOptions& o) { o.clip_norm = -1.0f; }); },
                            {"clip_norm", "-1"});
  expect_error<ConfigError>([&] { make([](AdamOptions& o) { o.weight_decay = -0.5f; }); },
                            {"weight_decay", "-0.5"});
}

INSTANTIATE_TEST_SUITE_P(Backends, AdamTest, testing::Values("fast", "reference"));

}  // namespace
}  // namespace attend
