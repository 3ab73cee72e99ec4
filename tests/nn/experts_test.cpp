#include "attend/nn/experts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "attend/backend/weights.h"
#include "attend/ops/elementwise.h"
#include "backend/scoped_backend.h"
#include "ops/operands.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

constexpr int kExpertInputs = 6;

ExpertOptions expert_options() {
  ExpertOptions options;
  options.expert = {kExpertInputs, 5, Activation::swish, 0.0f, true, false, false};
  options.experts = 4;
  options.per_token = 2;
  return options;
}

struct Mixture {
  explicit Mixture(const ExpertOptions& chosen)
      : options(chosen), network(parameters, "f", options) {
    parameters.allocate(3);
    for (const auto& entry : parameters.entries()) {
      Random random({5, stream_of(entry.name)});
      fill_normal(parameters.value(entry), random, 0.7f);
    }
  }
  Tensor value(const std::string& name) const {
    for (const auto& entry : parameters.entries())
      if (entry.name == "f." + name) return parameters.value(entry);
    throw std::out_of_range(name);
  }
  std::vector<float> gradient(const std::string& name) const {
    for (const auto& entry : parameters.entries())
      if (entry.name == "f." + name)
        return parameters.gradients()
            .slice_rows(entry.offset, entry.offset + entry.shape.size())
            .to_vector();
    throw std::out_of_range(name);
  }

  ExpertOptions options;
  ParameterSet parameters;
  Experts network;
};

Tensor expert_inputs(std::int64_t rows) {
  Random random({4, 2});
  return normal_tensor({rows, kExpertInputs}, random);
}

using Doubles = std::vector<double>;

Doubles times(const Tensor& matrix, const Doubles& x) {
  Doubles y;
  for (std::int64_t r = 0; r < matrix.rows(); ++r)
    y.push_back(std::inner_product(x.begin(), x.end(), matrix.row(r), 0.0));
  return y;
}

Doubles network_of(const Mixture& mixture, const std::string& path, const Doubles& x) {
  Doubles hidden = times(mixture.value(path + ".linear1.weight"), x);
  const Doubles gate = times(mixture.value(path + ".linear_gate.weight"), x);
  for (std::size_t i = 0; i < hidden.size(); ++i)
    hidden[i] = hidden[i] / (1 + std::exp(-hidden[i])) * gate[i];
  return times(mixture.value(path + ".linear2.weight"), hidden);
}

Doubles probabilities_of(const Mixture& mixture, const Doubles& x) {
  Doubles p = times(mixture.value("router.weight"), x);
  double sum = 0;
  for (double& logit : p) sum += logit = std::exp(logit);
  for (double& share : p) share /= sum;
  return p;
}

std::vector<std::size_t> chosen_of(const Doubles& p, int count) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return p[a] > p[b]; });
  order.resize(static_cast<std::size_t>(count));
  return order;
}

// As the header has it, number by number.
Doubles mixed(const Mixture& mixture, const Doubles& x) {
  const Doubles p = probabilities_of(mixture, x);
  const auto chosen = chosen_of(p, mixture.options.per_token);
  double sum = 0;
  for (const std::size_t e : chosen) sum += p[e];
  Doubles y(kExpertInputs, 0.0);
  const auto add = [&](double weight, const Doubles& part) {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += weight * part[i];
  };
  for (const std::size_t e : chosen)
    add(mixture.options.normalized ? p[e] / sum : p[e],
        network_of(mixture, "experts." + std::to_string(e), x));
  if (mixture.options.shared_width > 0)
    add(1 / (1 + std::exp(-times(mixture.value("shared_gate.weight"), x)[0])),
        network_of(mixture, "shared", x));
  return y;
}

Doubles row_of(const Tensor& x, std::int64_t row) { return {x.row(row), x.row(row) + x.cols()}; }

TEST(Experts, HaveARouterNetworksAndPerhapsASharedOne) {
  ExpertOptions options = expert_options();
  options.experts = 2;
  options.shared_width = 3;
  std::vector<std::string> names;
  const Mixture mixture(options);
  for (const auto& entry : mixture.parameters.entries())
    names.push_back(entry.name + " " + to_string(entry.shape));
  EXPECT_EQ(names, (std::vector<std::string>{
                       "f.router.weight [2, 6]", "f.experts.0.linear1.weight [5, 6]",
                       "f.experts.0.linear_gate.weight [5, 6]", "f.experts.0.linear2.weight [6, 5]",
                       "f.experts.1.linear1.weight [5, 6]", "f.experts.1.linear_gate.weight [5, 6]",
                       "f.experts.1.linear2.weight [6, 5]", "f.shared.linear1.weight [3, 6]",
                       "f.shared.linear_gate.weight [3, 6]", "f.shared.linear2.weight [6, 3]",
                       "f.shared_gate.weight [1, 6]"}));
}

TEST(Experts, ComputeTheMixtureOfTheirLikeliest) {
  const Tensor x = expert_inputs(9);
  for (const auto backend : {&reference_backend, &fast_backend}) {
    const ScopedBackend scope(backend());
    for (const int per_token : {1, 2, 4})
      for (const bool normalized : {false, true})
        for (const int shared : {0, 3}) {
          ExpertOptions options = expert_options();
          options.per_token = per_token;
          options.normalized = normalized;
          options.shared_width = shared;
          const Mixture mixture(options);
          Pass pass = Pass::inference();
          const Tensor y = mixture.network.forward(Variable(x), pass).value();
          for (std::int64_t n = 0; n < x.rows(); ++n) {
            const Doubles expected = mixed(mixture, row_of(x, n)), found = row_of(y, n);
            for (std::size_t i = 0; i < expected.size(); ++i)
              EXPECT_NEAR(found[i], expected[i], 2e-5) << per_token << normalized << shared;
          }
        }
  }
}

TEST(Experts, OfEqualProbabilityAreTakenInOrder) {
  const Mixture mixture(expert_options());
  mixture.value("router.weight").zero();
  const Tensor x = expert_inputs(3);
  Pass pass = Pass::inference();
  const Tensor y = mixture.network.forward(Variable(x), pass).value();
  for (std::int64_t n = 0; n < 3; ++n) {
    const Doubles first = network_of(mixture, "experts.0", row_of(x, n)),
                  second = network_of(mixture, "experts.1", row_of(x, n));
    for (std::size_t i = 0; i < first.size(); ++i)
      EXPECT_NEAR(y.row(n)[i], (first[i] + second[i]) / 2, 1e-5);
  }
}

TEST(Experts, GiveATokenTheSameBitsInAnyCompany) {
  ExpertOptions options = expert_options();
  options.expert.d_model = 32;
  options.expert.d_ff = 48;
  options.shared_width = 16;
  const Mixture mixture(options);
  Random random({8, 1});
  const Tensor x = normal_tensor({37, 32}, random);
  Pass pass = Pass::inference();
  const Tensor all = mixture.network.forward(Variable(x), pass).value();
  for (std::int64_t n = 0; n < x.rows(); ++n)
    EXPECT_TRUE(same_bits(mixture.network.forward(Variable(x.slice_rows(n, n + 1)), pass).value(),
                          all.slice_rows(n, n + 1)))
        << n;
  EXPECT_EQ(mixture.network.forward(Variable(Tensor::empty({0, 32})), pass).dim(0), 0);
}

TEST(Experts, KeepTheirRouterIn32Bits) {
  const Mixture mixture(expert_options());
  for (const auto& entry : mixture.parameters.entries())
    EXPECT_EQ(entry.multiplies(), entry.name != "f.router.weight") << entry.name;
}

TEST(Experts, AreTooFewForTheTokens) {
  ExpertOptions options = expert_options();
  options.per_token = 5;
  expect_error<ConfigError>([&] { Mixture{options}; }, {"experts_per_token", "5 of 4"});
}

// A loss of the mixture and its derivative for a number of a parameter, by differences.
double loss_of(const Mixture& mixture, const Tensor& x) {
  double loss = 0;
  for (std::int64_t n = 0; n < x.rows(); ++n) {
    const Doubles y = mixed(mixture, row_of(x, n));
    for (std::size_t i = 0; i < y.size(); ++i) loss += (0.3 + 0.1 * static_cast<double>(i)) * y[i];
  }
  return loss;
}

Tensor loss_weights(std::int64_t rows) {
  const Tensor weights = Tensor::empty({rows, kExpertInputs});
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < kExpertInputs; ++c)
      weights.row(r)[c] = 0.3f + 0.1f * static_cast<float>(c);
  return weights;
}

template <class Loss>
double slope(float& number, const Loss& loss) {
  constexpr float kStep = 0x1p-8f;
  const float before = number;
  number = before + kStep;
  const double up = loss();
  number = before - kStep;
  const double down = loss();
  number = before;
  return (up - down) / (2.0 * double{kStep});
}

TEST(Experts, HaveTheGradientsOfTheMixture) {
  const Tensor x = expert_inputs(4);
  for (const bool normalized : {false, true}) {
    ExpertOptions options = expert_options();
    options.normalized = normalized;
    options.shared_width = 3;
    const Mixture mixture(options);
    mixture.parameters.gradients().zero();
    Pass pass = Pass::training(1, 1);
    const Variable in(x.clone(), true);
    backward(mixture.network.forward(in, pass), loss_weights(x.rows()));
    for (const auto& entry : mixture.parameters.entries()) {
      const std::string name = entry.name.substr(2);
      const Tensor value = mixture.value(name);
      const std::vector<float> found = mixture.gradient(name);
      for (std::int64_t i = 0; i < value.size(); ++i)
        EXPECT_NEAR(found[static_cast<std::size_t>(i)],
                    slope(value.data()[i], [&] { return loss_of(mixture, x); }), 2e-3)
            << name << " " << i;
    }
    const std::vector<float> dx = in.gradient().to_vector();
    for (std::int64_t i = 0; i < x.size(); ++i)
      EXPECT_NEAR(dx[static_cast<std::size_t>(i)],
                  slope(x.data()[i], [&] { return loss_of(mixture, x); }), 2e-3);
  }
}

// E sum_e f_e P_e of Fedus et al. 2021; f does not change with the router.
double balance_of(const Mixture& mixture, const Tensor& x, const Doubles& shares) {
  Doubles means(shares.size(), 0.0);
  for (std::int64_t n = 0; n < x.rows(); ++n) {
    const Doubles p = probabilities_of(mixture, row_of(x, n));
    for (std::size_t e = 0; e < p.size(); ++e) means[e] += p[e] / static_cast<double>(x.rows());
  }
  return static_cast<double>(shares.size()) *
         std::inner_product(means.begin(), means.end(), shares.begin(), 0.0);
}

TEST(Experts, AreBalancedInTrainingByTheirShares) {
  const Tensor x = expert_inputs(7);
  ExpertOptions options = expert_options();
  const auto router_gradient = [&](float balance, Pass pass) {
    options.balance = balance;
    const Mixture mixture(options);
    mixture.parameters.gradients().zero();
    backward(mixture.network.forward(Variable(x), pass), loss_weights(x.rows()));
    return mixture.gradient("router.weight");
  };
  Pass pass = Pass::training(1, 1);
  pass.share = 0.25f;
  const std::vector<float> with = router_gradient(2.0f, pass), without = router_gradient(0, pass);
  EXPECT_EQ(router_gradient(2.0f, Pass::inference()), without);
  const Mixture mixture(options);
  Doubles shares(4, 0.0);
  for (std::int64_t n = 0; n < x.rows(); ++n)
    for (const std::size_t e : chosen_of(probabilities_of(mixture, row_of(x, n)), 2))
      shares[e] += 1.0 / static_cast<double>(x.rows());
  const Tensor router = mixture.value("router.weight");
  for (std::int64_t i = 0; i < router.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double expected = slope(router.data()[i], [&] { return balance_of(mixture, x, shares); });
    EXPECT_NEAR(with[at] - without[at], 2.0 * 0.25 * expected, 1e-4) << i;
  }
}

TEST(Experts, WithoutTokensHaveGradientsOfZero) {
  const Mixture mixture(expert_options());
  mixture.value("router.weight").zero();
  mixture.parameters.gradients().zero();
  Pass pass = Pass::training(1, 1);
  std::size_t done = 0;
  backward(mixture.network.forward(Variable(expert_inputs(2)), pass), loss_weights(2),
           [&](const Tensor&) { ++done; });
  EXPECT_EQ(done, mixture.parameters.entries().size()) << "processes wait for all of them";
  for (const float number : mixture.gradient("experts.3.linear1.weight")) EXPECT_EQ(number, 0.0f);
  EXPECT_NE(mixture.gradient("experts.1.linear1.weight")[0], 0.0f);
}

}  // namespace
}  // namespace attend
