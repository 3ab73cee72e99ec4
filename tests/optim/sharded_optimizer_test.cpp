#include "attend/optim/sharded_optimizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "attend/core/random/random.h"
#include "attend/optim/optimizer_choice.h"
#include "collective/thread_processes.h"

namespace attend {
namespace {

constexpr Init kOnes{Init::Kind::normal, 1.0f};

// A table of more than two parts of Adam in 8 bits, and small parameters of every use.
void declare_network(ParameterSet& parameters) {
  parameters.add_output_weights("table", {600, 1000}, kOnes);
  parameters.add_weights("layers.0.square", {8, 8}, kOnes);
  parameters.add_weights("layers.0.wide", {5, 24}, kOnes);
  parameters.add("layers.0.bias", {130}, kOnes);
  parameters.add_weights("layers.1.tall", {20, 7}, kOnes);
  parameters.add("layers.1.gain", {3}, kOnes);
  parameters.allocate(3);
}

void draw_gradients_of_all(const ParameterSet& parameters, std::uint64_t step) {
  Random random({step, 1});
  for (float& g : parameters.gradients().span()) g = 0.1f * random.normal();
}

using Numbers = std::vector<float>;

Numbers numbers_in(const Tensor& tensor) {
  if (tensor.dtype() == DType::f32) return tensor.to_vector();
  const auto codes = tensor.span<std::uint8_t>();
  return {codes.begin(), codes.end()};
}

// What a process has after three steps.
struct After {
  Numbers values;
  std::vector<double> norms;
  std::vector<std::pair<std::string, Numbers>> state;
};

After after_steps_in(Collective* processes, const OptimizerOptions& options,
                     const std::set<std::string>& frozen) {
  ParameterSet parameters;
  declare_network(parameters);
  if (!frozen.empty()) parameters.freeze(frozen);
  std::unique_ptr<Optimizer> optimizer;
  if (processes == nullptr) {
    optimizer = make_optimizer(parameters, options);
  } else {
    const Shard shard{processes->rank(), processes->size()};
    optimizer = std::make_unique<ShardedOptimizer>(
        parameters, make_optimizer(parameters, options, Precision::f32, shard), *processes);
  }
  After after;
  for (std::uint64_t step = 1; step <= 3; ++step) {
    draw_gradients_of_all(parameters, step);
    after.norms.push_back(optimizer->step(0.01f));
  }
  after.values = parameters.values().to_vector();
  for (const auto& [name, values] : optimizer->state())
    after.state.emplace_back(name, numbers_in(values));
  return after;
}

class Sharded : public testing::TestWithParam<OptimizerKind> {
 protected:
  Sharded() {
    options_.kind = GetParam();
    options_.adam.clip_norm = 0.5f;
    options_.adam.weight_decay = 0.1f;
  }

  // The parameters of every process are those of one, and so are their states, one behind the
  // other.
  void expect_bits_of_one(const std::vector<int>& sizes, const std::set<std::string>& frozen = {}) {
    const After alone = after_steps_in(nullptr, options_, frozen);
    for (const int size : sizes) {
      SCOPED_TRACE(testing::Message() << size << " processes");
      std::vector<After> all(static_cast<std::size_t>(size));
      in_processes(size, [&](const auto& process) {
        all[static_cast<std::size_t>(process->rank())] =
            after_steps_in(process.get(), options_, frozen);
      });
      auto joined = all.front().state;
      for (std::size_t rank = 0; rank < all.size(); ++rank) {
        EXPECT_EQ(all[rank].values, alone.values) << "rank " << rank;
        EXPECT_EQ(all[rank].norms, alone.norms) << "rank " << rank;
        if (rank == 0) continue;
        for (std::size_t i = 0; i < joined.size(); ++i) {
          const Numbers& more = all[rank].state[i].second;
          joined[i].second.insert(joined[i].second.end(), more.begin(), more.end());
        }
      }
      EXPECT_EQ(joined, alone.state);
    }
  }

  OptimizerOptions options_;
};
INSTANTIATE_TEST_SUITE_P(Optimizers, Sharded,
                         testing::Values(OptimizerKind::adam, OptimizerKind::muon,
                                         OptimizerKind::adam8bit));

TEST_P(Sharded, HasTheBitsOfOneOptimizer) { expect_bits_of_one({1, 2, 4, 8}); }

TEST_P(Sharded, HasThemWithLearningRatesByLayer) {
  options_.layer_decay = 0.5f;
  expect_bits_of_one({4});
}

TEST_P(Sharded, HasThemWithFrozenParameters) {
  expect_bits_of_one({4}, {"layers.0.square", "layers.1.gain"});
}

// Adam's shards are equal, those in 8 bits up to a part, and every matrix of Muon's has one owner.
TEST_P(Sharded, KeepsOneStateInAllProcessesTogether) {
  ParameterSet parameters;
  declare_network(parameters);
  const auto bytes_of_state = [](const Optimizer& optimizer) {
    std::int64_t bytes = 0;
    for (const auto& [name, values] : optimizer.state())
      bytes += values.size() * static_cast<std::int64_t>(size_of(values.dtype()));
    return bytes;
  };
  const std::int64_t whole = bytes_of_state(*make_optimizer(parameters, options_));
  std::int64_t all = 0, most = 0;
  for (int index = 0; index < 2; ++index) {
    const std::int64_t own = bytes_of_state(
        *make_optimizer(parameters, options_, Precision::f32, {.index = index, .count = 2}));
    all += own;
    most = std::max(most, own);
  }
  EXPECT_EQ(all, whole);
  EXPECT_LT(100 * most, (GetParam() == OptimizerKind::adam8bit ? 60 : 51) * whole);
}

TEST_P(Sharded, UpdatesEveryParameterOnce) {
  in_processes(4, [&](const auto& process) {
    ParameterSet parameters;
    declare_network(parameters);
    const ShardedOptimizer optimizer(
        parameters,
        make_optimizer(parameters, options_, Precision::f32, {process->rank(), process->size()}),
        *process);
    std::vector<int> times(static_cast<std::size_t>(parameters.size()));
    for (const auto& [begin, end] : optimizer.updated())
      for (std::int64_t i = begin; i < end; ++i) ++times[static_cast<std::size_t>(i)];
    EXPECT_EQ(times, std::vector<int>(times.size(), 1));
  });
}

TEST(ShardedAdam, SendsItsParametersAndNoMore) {
  in_processes(4, [&](const auto& process) {
    ParameterSet parameters;
    parameters.add("a", {4096}, kOnes);
    parameters.allocate(1);
    ShardedOptimizer optimizer(
        parameters, make_optimizer(parameters, {}, Precision::f32, {process->rank(), 4}), *process);
    parameters.gradients().zero();
    optimizer.step(0.1f);
    EXPECT_EQ(process->bytes_sent, 4096u / 4 * 3 * sizeof(float));
  });
}

}  // namespace
}  // namespace attend
