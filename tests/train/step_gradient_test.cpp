#include "attend/train/step_gradient.h"

#include <map>

#include "attend/tensor/bf16.h"
#include "collective/thread_processes.h"
#include "tensor/expect_error.h"
#include "train/toy_run.h"

namespace attend {
namespace {

using Bits = std::vector<float>;

Pass pass_with(std::uint64_t number) { return Pass::training(9, number); }

std::vector<StepBatch> batches_of_step(std::int64_t count) {
  std::vector<StepBatch> batches;
  for (std::int64_t i = 0; i < count; ++i)
    batches.push_back({i / 3, i % 3, static_cast<std::uint64_t>(20 + i)});
  return batches;
}

constexpr double kNormalizer = 30;

// The gradient of some batches alone, one after another.
Bits gradient_of(std::int64_t first, std::int64_t count) {
  ToyObjective objective;
  const std::vector<StepBatch> batches = batches_of_step(first + count);
  objective.parameters().gradients().zero();
  for (std::int64_t i = first; i < first + count; ++i) {
    const StepBatch& at = batches[static_cast<std::size_t>(i)];
    Pass pass = pass_with(at.number);
    backward(objective.loss(at.epoch, at.batch, kNormalizer, pass).loss);
  }
  return objective.parameters().gradients().to_vector();
}

Bits added(Bits a, const Bits& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

struct Computed {
  Bits gradient;
  double loss = 0, nll = 0;
};

Computed compute(const StepSharing& sharing, std::int64_t batches, Collective& processes) {
  ToyObjective objective;
  objective.parameters().gradients().copy_from(
      Tensor::full(objective.parameters().gradients().shape(), 5));  // of the step before
  StepGradient gradient(objective, sharing, processes, pass_with);
  const auto losses = gradient.compute(batches_of_step(batches), kNormalizer);
  return {objective.parameters().gradients().to_vector(), losses.loss, losses.nll};
}

Computed alone(const StepSharing& sharing, std::int64_t batches) {
  SingleProcess process;
  return compute(sharing, batches, process);
}

TEST(StepGradient, OfOneShardIsTheSumOfItsBatchesOneAfterAnother) {
  EXPECT_EQ(alone({1}, 4).gradient, gradient_of(0, 4));
  EXPECT_EQ(alone({1, Wire::bf16}, 4).gradient, gradient_of(0, 4)) << "nothing is sent";
}

TEST(StepGradient, OfShardsIsAddedUpInPairs) {
  const Bits lower = added(gradient_of(0, 2), gradient_of(2, 2)),
             upper = added(gradient_of(4, 2), gradient_of(6, 2));
  EXPECT_EQ(alone({4}, 8).gradient, added(lower, upper));
  EXPECT_NE(alone({4}, 8).gradient, alone({1}, 8).gradient) << "another order has other bits";
}

Bits rounded(Bits bits) {
  for (float& x : bits) x = float_of_bf16(nearest_bf16(x));
  return bits;
}

TEST(StepGradient, OfShardsOnAWireOf16BitsIsASumOfRoundedSums) {
  const Bits lower = added(rounded(gradient_of(0, 2)), rounded(gradient_of(2, 2))),
             upper = added(rounded(gradient_of(4, 2)), rounded(gradient_of(6, 2)));
  EXPECT_EQ(alone({4, Wire::bf16}, 8).gradient, rounded(added(rounded(lower), rounded(upper))));
}

TEST(StepGradient, IsTheSameOnEveryProcessOfAnyNumber) {
  for (const Wire wire : {Wire::f32, Wire::bf16}) {
    const Computed expected = alone({4, wire}, 8);
    for (const int size : {1, 2, 4})
      in_processes(size, [&](const auto& process) {
        const Computed actual = compute({4, wire}, 8, *process);
        EXPECT_EQ(actual.gradient, expected.gradient) << process->rank() << " of " << size;
        EXPECT_EQ(actual.loss, expected.loss) << process->rank() << " of " << size;
        EXPECT_EQ(actual.nll, expected.nll) << process->rank() << " of " << size;
      });
  }
}

TEST(StepGradient, IsComputedOnceByEveryProcess) {
  in_processes(2, [&](const auto& process) {
    ToyObjective objective;
    StepGradient gradient(objective, {4}, *process, pass_with);
    gradient.compute(batches_of_step(8), kNormalizer);
    EXPECT_EQ(objective.calls, 4) << "half of the batches";
  });
}

TEST(StepGradient, RefusesShardsThatCannotBeShared) {
  SingleProcess process;
  ThreadProcess two(nullptr, 0, 2), three(nullptr, 0, 3);
  expect_error<ConfigError>([&] { require_shareable(3, process); },
                            {"shards", "1, 2, 4, 8", "got 3"});
  expect_error<ConfigError>([&] { require_shareable(0, process); }, {"shards", "got 0"});
  expect_error<ConfigError>([&] { require_shareable(1, two); },
                            {"multiple of 2", "got 1", "--shards 2", "2 times as many batches"});
  expect_error<ConfigError>([&] { require_shareable(4, three); }, {"processes", "got 3"});
  EXPECT_NO_THROW(require_shareable(4, two));
}

}  // namespace
}  // namespace attend
