#include "attend/nn/low_rank.h"

#include <gtest/gtest.h>

#include "attend/nn/layers.h"
#include "attend/ops/elementwise.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

// Two linear maps whose weights are one matrix, as in attention, and a head.
class LowRank : public testing::Test {
 protected:
  LowRank() {
    for (const char* name : {"q_proj", "k_proj"})
      base_.add_weights(fmt::format("layers.0.{}.weight", name), {3, 4},
                        {Init::Kind::normal, 1.0f});
    both_ = base_.stack("layers.0.q_proj.weight", "layers.0.k_proj.weight");
    head_ = base_.add("head.bias", {6}, {Init::Kind::normal, 1.0f});
    base_.allocate(3);
  }

  Variable output() const {
    const Variable x(Tensor::from(std::vector<float>{1, -2, 3, 0.5f}, {1, 4}));
    return linear(x, *both_, *head_);
  }
  static LowRankOptions options() {
    LowRankOptions options;
    options.rank = 2;
    options.alpha = 6.0f;
    options.targets = {"*.q_proj.weight"};
    return options;
  }
  static Tensor named(ParameterSet& parameters, const std::string& name) {
    for (const ParameterSet::Entry& entry : parameters.entries())
      if (entry.name == name) return parameters.value(entry);
    throw Error("no " + name);
  }

  ParameterSet base_;
  Parameter both_, head_;
};

TEST_F(LowRank, BeginsAsItsBase) {
  const std::vector<float> before = output().value().to_vector();
  LowRankAdapters adapters(base_, options(), {"head.bias"}, 1);
  adapters.apply();
  EXPECT_EQ(output().value().to_vector(), before);
  std::vector<std::string> names;
  for (const ParameterSet::Entry& entry : adapters.parameters().entries())
    names.push_back(entry.name);
  EXPECT_EQ(names, (std::vector<std::string>{"layers.0.q_proj.lora_a", "layers.0.q_proj.lora_b",
                                             "head.bias"}));
  EXPECT_EQ(adapters.parameters().size(), 2 * 4 + 3 * 2 + 6);
  EXPECT_FALSE(base_.gradients().defined());
}

// The gradient of B A is that of the matrix: with W' = W + s B A, dB = s dW' A^T.
TEST_F(LowRank, HasTheGradientsOfItsFormula) {
  backward(sum(output()));  // of the base
  const std::vector<float> of_matrix = base_.gradients({0, 12}).to_vector();
  LowRankAdapters adapters(base_, options(), {}, 1);
  ParameterSet& trained = adapters.parameters();
  const Tensor first = named(trained, "layers.0.q_proj.lora_a");
  adapters.apply();
  backward(sum(output()));
  const std::vector<float> a = first.to_vector(), da = trained.gradients({0, 8}).to_vector(),
                           db = trained.gradients({8, 14}).to_vector();
  for (int r = 0; r < 2; ++r)
    for (int o = 0; o < 3; ++o) {
      float expected = 0;
      for (int i = 0; i < 4; ++i) expected += 3.0f * of_matrix[o * 4 + i] * a[r * 4 + i];
      EXPECT_NEAR(db[o * 2 + r], expected, 1e-5f);
    }
  EXPECT_EQ(da, std::vector<float>(8, 0.0f)) << "B is zero at first";
}

TEST_F(LowRank, ChangesWhatItAdapts) {
  const std::vector<float> before = output().value().to_vector();
  LowRankAdapters adapters(base_, options(), {}, 1);
  named(adapters.parameters(), "layers.0.q_proj.lora_b").copy_from(Tensor::full({3, 2}, 1.0f));
  adapters.apply();
  const std::vector<float> after = output().value().to_vector();
  for (int i = 0; i < 3; ++i) EXPECT_NE(after[i], before[i]);
  for (int i = 3; i < 6; ++i) EXPECT_EQ(after[i], before[i]);
}

TEST_F(LowRank, TrainsWhatItKeepsWhole) {
  LowRankAdapters adapters(base_, options(), {"head.bias"}, 1);
  adapters.apply();
  const std::vector<float> before = output().value().to_vector();
  const Tensor bias = named(adapters.parameters(), "head.bias");
  bias.copy_from(Tensor::full({6}, 2.0f));
  const std::vector<float> base = named(base_, "head.bias").to_vector(),
                           after = output().value().to_vector();
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(after[i] - before[i], 2.0f - base[i], 1e-5f);
  backward(sum(output()));
  EXPECT_EQ(adapters.parameters().gradients({14, 20}).to_vector(), std::vector<float>(6, 1.0f));
}

TEST_F(LowRank, RefusesAPatternThatFitsNoMatrix) {
  LowRankOptions none = options();
  none.targets = {"*.q_proj.weight", "head.*"};
  expect_error<ConfigError>([&] { LowRankAdapters(base_, none, {}, 1); },
                            {"lora_targets", "head.*"});
  none.targets = {};
  expect_error<ConfigError>([&] { LowRankAdapters(base_, none, {}, 1); }, {"lora_targets"});
  ParameterSet tables;
  tables.add_table("embedding.weight", {5, 4}, {Init::Kind::normal, 1.0f});
  tables.allocate(1);
  none.targets = {"*.weight"};
  expect_error<ConfigError>([&] { LowRankAdapters(tables, none, {}, 1); }, {"lora_targets"});
}

TEST_F(LowRank, FreezingRefusesPartOfAStack) {
  expect_error<ConfigError>([&] { base_.freeze({"layers.0.q_proj.weight"}); },
                            {"layers.0.q_proj.weight to layers.0.k_proj.weight", "all or none"});
  expect_error<ConfigError>([&] { base_.freeze({"nothing"}); }, {"nothing"});
}

}  // namespace
}  // namespace attend
