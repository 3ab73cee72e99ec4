#include "attend/optim/parameter_groups.h"

#include <gtest/gtest.h>

#include <cmath>

#include "attend/backend/backend.h"
#include "attend/optim/optimizer_choice.h"

namespace attend {
namespace {

// Embeddings, two layers and a head.
class ParameterGroups : public testing::Test {
 protected:
  ParameterGroups() { declare(parameters_); }
  static void declare(ParameterSet& parameters) {
    parameters.add_table("embedding.weight", {3, 2}, {Init::Kind::normal, 1.0f});
    parameters.add("norm.weight", {2}, {Init::Kind::ones});
    parameters.add_weights("encoder.layers.0.q.weight", {2, 2}, {Init::Kind::normal, 1.0f});
    parameters.add("encoder.layers.0.q.bias", {2}, {Init::Kind::normal, 1.0f});
    parameters.add_weights("encoder.layers.1.q.weight", {2, 2}, {Init::Kind::normal, 1.0f});
    parameters.add("output.bias", {2}, {Init::Kind::normal, 1.0f});
    parameters.allocate(1);
  }
  ParameterSet parameters_;
};

TEST_F(ParameterGroups, AreOneOfAllWithOneLearningRate) {
  const auto groups = parameter_groups(parameters_);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].range.begin, 0);
  EXPECT_EQ(groups[0].range.end, parameters_.size());
  EXPECT_EQ(groups[0].learning_rate, 1.0f);
}

TEST_F(ParameterGroups, HaveSmallerLearningRatesTowardsTheEmbeddings) {
  EXPECT_EQ(layer_factors(parameters_, 0.5f),
            (std::vector<float>{0.125f, 0.125f, 0.25f, 0.25f, 0.5f, 1.0f}));
  const auto groups = parameter_groups(parameters_, 0.5f);
  ASSERT_EQ(groups.size(), 4u);
  EXPECT_EQ(groups[1].range.begin, 8);
  EXPECT_EQ(groups[1].range.end, 14);
  EXPECT_EQ(groups[1].learning_rate, 0.25f);
}

TEST_F(ParameterGroups, LeaveOutWhatIsFrozen) {
  parameters_.freeze({"norm.weight", "encoder.layers.0.q.weight"});
  const auto groups = parameter_groups(parameters_);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].range.end, 6);
  EXPECT_EQ(groups[1].range.begin, 12);
  EXPECT_EQ(groups[1].range.end, 20);
}

std::vector<std::pair<std::int64_t, std::int64_t>> bounds_of(
    const std::vector<ParameterGroup>& groups) {
  std::vector<std::pair<std::int64_t, std::int64_t>> bounds;
  for (const auto& [begin, end] : ranges_of(groups)) bounds.emplace_back(begin, end);
  return bounds;
}

TEST(ShardOf, CutsGroupsIntoEqualPartsOfWholeUnits) {
  const std::vector<ParameterGroup> groups{{{0, 10}, 1.0f}, {{20, 23}, 0.5f}};  // 3 + 1 units
  using Bounds = std::vector<std::pair<std::int64_t, std::int64_t>>;
  EXPECT_EQ(bounds_of(shard_of(groups, {0, 1}, 4)), (Bounds{{0, 10}, {20, 23}}));
  EXPECT_EQ(bounds_of(shard_of(groups, {0, 2}, 4)), (Bounds{{0, 8}}));
  EXPECT_EQ(bounds_of(shard_of(groups, {1, 2}, 4)), (Bounds{{8, 10}, {20, 23}}));
  EXPECT_EQ(shard_of(groups, {1, 2}, 4)[1].learning_rate, 0.5f);
  EXPECT_EQ(bounds_of(shard_of(groups, {3, 4}, 4)), (Bounds{{20, 23}}));
  EXPECT_EQ(bounds_of(shard_of(groups, {0, 8}, 4)), Bounds{}) << "more shards than units";
  EXPECT_EQ(bounds_of(shard_of({}, {0, 2}, 4)), Bounds{});
}

// A step moves what is trained as a step of everything does, and nothing else.
class StepOfSome : public ParameterGroups, public testing::WithParamInterface<OptimizerKind> {};
INSTANTIATE_TEST_SUITE_P(Of, StepOfSome, testing::Values(OptimizerKind::adam, OptimizerKind::muon));

TEST_P(StepOfSome, MovesThemAsAStepOfAllWould) {
  ParameterSet whole;
  declare(whole);
  const std::string frozen = "encoder.layers.0.q.weight";
  parameters_.freeze({frozen});
  EXPECT_EQ(parameters_.trained_size(), whole.size() - 4);
  const std::vector<float> before = whole.values().to_vector();
  OptimizerOptions options;
  options.kind = GetParam();
  options.layer_decay = 0.5f;
  const auto some = make_optimizer(parameters_, options), all = make_optimizer(whole, options);
  for (const ParameterSet::Entry& entry : whole.entries()) {
    const ParameterRange range{entry.offset, entry.offset + entry.shape.size()};
    const Tensor gradient = Tensor::full({entry.shape.size()}, 0.25f * entry.offset - 1.0f);
    whole.gradients(range).copy_from(gradient);
    if (entry.name != frozen) parameters_.gradients(range).copy_from(gradient);
  }
  some->step(0.01f);
  all->step(0.01f);
  for (const ParameterSet::Entry& entry : whole.entries()) {
    const std::vector<float> moved = whole.value(entry).to_vector();
    if (entry.name != frozen)
      EXPECT_EQ(parameters_.value(entry).to_vector(), moved) << entry.name;
    else
      EXPECT_EQ(parameters_.value(entry).to_vector(),
                std::vector<float>(before.begin() + 8, before.begin() + 12));
    EXPECT_NE(moved, std::vector<float>(before.begin() + entry.offset,
                                        before.begin() + entry.offset + entry.shape.size()))
        << entry.name;
  }
}

TEST(LayerDecay, MakesTheStepsOfLowerLayersSmaller) {
  ParameterSet parameters;
  parameters.add("encoder.layers.0.bias", {1}, {});
  parameters.add("encoder.layers.1.bias", {1}, {});
  parameters.add("output.bias", {1}, {});
  parameters.allocate(1);
  OptimizerOptions options;
  options.layer_decay = 0.5f;
  const auto optimizer = make_optimizer(parameters, options);
  parameters.gradients().copy_from(Tensor::full({3}, 1.0f));
  optimizer->step(0.1f);
  const std::vector<float> values = parameters.values().to_vector();
  EXPECT_NEAR(values[2], -0.1f, 1e-6f);
  EXPECT_NEAR(values[1], -0.05f, 1e-6f);
  EXPECT_NEAR(values[0], -0.025f, 1e-6f);
}

TEST(LayerDecay, MakesTheStepsOfMuonSmallerToo) {
  ParameterSet parameters;
  parameters.add_weights("encoder.layers.0.weight", {2, 2}, {});
  parameters.add_weights("encoder.layers.1.weight", {2, 2}, {});
  parameters.allocate(1);
  parameters.values().copy_from(Tensor::zeros({8}));
  OptimizerOptions options;
  options.kind = OptimizerKind::muon;
  options.layer_decay = 0.5f;
  const auto optimizer = make_optimizer(parameters, options);
  parameters.gradients().copy_from(Tensor::from(std::vector<float>{1, 2, 3, 5, 1, 2, 3, 5}, {8}));
  optimizer->step(0.1f);
  const std::vector<float> values = parameters.values().to_vector();
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_GT(std::fabs(values[4 + i]), 1e-4f);
    EXPECT_NEAR(values[i], values[4 + i] / 2, 1e-6f);
  }
}

}  // namespace
}  // namespace attend
