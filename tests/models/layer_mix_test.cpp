#include "attend/models/layer_mix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "attend/error.h"
#include "ops/operands.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

void fill(const ParameterSet& parameters, const std::string& name, float value) {
  for (const ParameterSet::Entry& entry : parameters.entries())
    if (entry.name == name)
      return parameters.value(entry).copy_from(Tensor::from(std::vector{value}, {1}));
  FAIL() << name;
}

const std::vector<float> kA{1, 2, 3, 4, 5, 7}, kB{-1, 0, 2, 9, 1, 1};

TEST(LayerShares, AreASoftmaxOrTheNearestSharesToTheWeights) {
  const std::vector<float> w{0.5f, 0.25f, -2.0f};
  const std::vector<double> soft = layer_shares(LayerWeights::softmax, w);
  EXPECT_NEAR(soft[0] / soft[1], std::exp(0.25), 1e-9);
  EXPECT_NEAR(std::accumulate(soft.begin(), soft.end(), 0.0), 1, 1e-12);
  const std::vector<double> sparse = layer_shares(LayerWeights::sparsemax, w);
  EXPECT_NEAR(sparse[0], 0.625, 1e-9);
  EXPECT_NEAR(sparse[1], 0.375, 1e-9);
  EXPECT_EQ(sparse[2], 0);
  EXPECT_EQ(layer_shares(LayerWeights::sparsemax, std::vector{3.0f, 1.0f}),
            (std::vector<double>{1, 0}));
  EXPECT_EQ(layer_shares(LayerWeights::sparsemax, std::vector{0.2f}), std::vector<double>{1});
}

TEST(LayerMix, AddsTheLayersByTheirShares) {
  ParameterSet parameters;
  const LayerMix mix(parameters, 1, {LayerWeights::softmax});
  parameters.allocate_for_inference();
  fill(parameters, "layer_mix.weights.0", 0);
  fill(parameters, "layer_mix.weights.1", std::log(3.0f));
  fill(parameters, "layer_mix.gamma", 2);
  const std::vector<float> y =
      mix.forward({Tensor::from(kA, {3, 2}), Tensor::from(kB, {3, 2})}, {0, 3}).to_vector();
  for (std::size_t i = 0; i < kA.size(); ++i)
    EXPECT_NEAR(y[i], 2 * (0.25f * kA[i] + 0.75f * kB[i]), 1e-5);
}

// As if each text were one row.
TEST(LayerMix, NormalizesAllVectorsOfATextTogether) {
  ParameterSet parameters;
  const LayerMix mix(parameters, 1, {LayerWeights::sparsemax, true});
  parameters.allocate_for_inference();
  fill(parameters, "layer_mix.weights.0", 0.5f);
  fill(parameters, "layer_mix.weights.1", 0.5f);
  fill(parameters, "layer_mix.gamma", 3);
  const std::vector<float> y =
      mix.forward({Tensor::from(kA, {3, 2}), Tensor::from(kB, {3, 2})}, {0, 1, 3}).to_vector();
  const auto normed = [](const std::vector<float>& x, std::size_t begin, std::size_t end,
                         std::size_t i) {
    double mean = 0, square = 0;
    for (std::size_t j = begin; j < end; ++j) mean += x[j] / static_cast<double>(end - begin);
    for (std::size_t j = begin; j < end; ++j)
      square += (x[j] - mean) * (x[j] - mean) / static_cast<double>(end - begin);
    return (x[i] - mean) / std::sqrt(square);
  };
  for (std::size_t i = 0; i < kA.size(); ++i) {
    const std::size_t begin = i < 2 ? 0 : 2, end = i < 2 ? 2 : 6;
    EXPECT_NEAR(y[i], 1.5 * (normed(kA, begin, end, i) + normed(kB, begin, end, i)), 1e-4) << i;
  }
}

TEST(LayerMix, MayBeOneLayer) {
  const std::vector<Tensor> layers{Tensor::from(kA, {3, 2}), Tensor::from(kB, {3, 2})};
  for (const int layer : {0, 1, -1}) {
    ParameterSet parameters;
    const LayerMix mix(parameters, 1, {.layer = layer});
    EXPECT_TRUE(parameters.entries().empty());
    EXPECT_EQ(mix.forward(layers, {0, 3}).to_vector(), layer == 0 ? kA : kB);
  }
  ParameterSet parameters;
  expect_error<ConfigError>([&] { LayerMix(parameters, 1, {.layer = 2}); }, {"output", "1 layers"});
  expect_error<ConfigError>([&] { LayerMix(parameters, 1, {.norm = true}); }, {"layer", "norm"});
}

}  // namespace
}  // namespace attend
