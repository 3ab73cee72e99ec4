#include "attend/train/step_gradient.h"

#include <atomic>
#include <chrono>
#include <map>
#include <thread>

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

Computed compute(const StepSharing& sharing, std::int64_t batches, Collective& processes,
                 const StepGradient::MakePass& make_pass = pass_with) {
  ToyObjective objective;
  objective.parameters().gradients().copy_from(
      Tensor::full(objective.parameters().gradients().shape(), 5));  // of the step before
  StepGradient gradient(objective, sharing, processes, make_pass);
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

// The toy has 96 parameters: buckets of 10 end within some, those of 40 contain several.
TEST(StepGradient, IsTheSameIfSumsOverlapWithTheBackwardPass) {
  for (const Wire wire : {Wire::f32, Wire::bf16}) {
    const Computed expected = alone({4, wire}, 8);
    for (const std::int64_t bucket : {10, 40, 95})
      for (const int size : {2, 4})
        in_processes(size, [&](const auto& process) {
          // Before every batch there is time to sum what were taken for complete too early.
          const Computed actual = compute(
              {.shards = 4, .wire = wire, .bucket = bucket}, 8, *process, [](std::uint64_t number) {
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
                return pass_with(number);
              });
          EXPECT_EQ(actual.gradient, expected.gradient)
              << process->rank() << " of " << size << ", bucket of " << bucket;
          EXPECT_EQ(actual.loss, expected.loss);
        });
  }
}

// A chain of layers with a parameter each, whose gradient functions take their time.
class SlowChain final : public Objective {
 public:
  static constexpr int kLayers = 6;
  static constexpr std::int64_t kNumbers = 256;  // of a layer
  static constexpr std::chrono::milliseconds kPerLayer{20};

  SlowChain() {
    for (int i = 0; i < kLayers; ++i)
      layers_.push_back(parameters_.add("layers." + std::to_string(i), {kNumbers}, {}));
    parameters_.allocate(1);
  }
  ParameterSet& parameters() override { return parameters_; }
  std::int64_t batches(std::int64_t) override { return 100; }
  BatchSize size(std::int64_t, std::int64_t) override { return {1, 0}; }
  BatchLoss loss(std::int64_t, std::int64_t, double, Pass&) override {
    Variable x;
    for (const Parameter& layer : layers_)
      x = record(layer->value(), {&x, &*layer},
                 [above = x.sink(), weight = layer->sink()](const Tensor& dy) {
                   std::this_thread::sleep_for(kPerLayer);
                   weight.add(dy);
                   if (above.needed()) above.add(dy);
                 });
    return {sum(x), 1.0, 1.0};
  }
  bool can_validate() const override { return false; }
  Validation validate() override { return {}; }

 private:
  ParameterSet parameters_;
  std::vector<Parameter> layers_;
};

// With L layers of c seconds, whose gradients take t seconds each on the wire: L (c + t), or with
// sums beside the backward pass L c + t, if c > t.
TEST(StepGradient, HidesTheTimeOfTheWireBehindTheBackwardPass) {
  using Clock = std::chrono::steady_clock;
  constexpr auto kLayers = SlowChain::kLayers;
  const double compute_time = std::chrono::duration<double>(SlowChain::kPerLayer).count(),
               wire_time = 0.75 * compute_time;
  const double bytes = 4.0 * SlowChain::kNumbers;  // two halves are sent
  const auto seconds = [&](bool overlap) {
    std::atomic<double> slowest = 0;
    in_processes(2, [&](const auto& process) {
      SlowProcess slow(*process, bytes / wire_time);
      SlowChain objective;
      StepGradient gradient(objective,
                            {.shards = 2, .overlap = overlap, .bucket = SlowChain::kNumbers}, slow,
                            pass_with);
      const Clock::time_point begun = Clock::now();
      gradient.compute(batches_of_step(2), 1);
      const double taken = std::chrono::duration<double>(Clock::now() - begun).count();
      if (taken > slowest) slowest = taken;
      EXPECT_EQ(objective.parameters().gradients().to_vector(),
                Bits(kLayers * SlowChain::kNumbers, 2.0f));
    });
    return slowest.load();
  };
  const double plain = seconds(false), overlapped = seconds(true);
  RecordProperty("plain_ms", static_cast<int>(1e3 * plain));
  RecordProperty("overlapped_ms", static_cast<int>(1e3 * overlapped));
  EXPECT_GE(plain, kLayers * (compute_time + wire_time));
  EXPECT_GE(overlapped, kLayers * compute_time + wire_time);
  // At least half of what can be hidden, however busy the machine is.
  EXPECT_LT(overlapped, plain - 0.5 * (kLayers - 1) * wire_time)
      << "with sums after the backward pass " << plain << " s";
}

TEST(StepGradient, LeavesAStepThatFailsInTheBackwardPass) {
  std::atomic<int> failed = 0;
  EXPECT_THROW(in_processes(2,
                            [&](const auto& process) {
                              ToyObjective objective;
                              int passes = 0;
                              StepGradient gradient(objective, {.shards = 2, .bucket = 10},
                                                    *process, [&](std::uint64_t number) {
                                                      if (process->rank() == 1 && ++passes == 2)
                                                        throw IoError("out of memory");
                                                      return pass_with(number);
                                                    });
                              try {
                                gradient.compute(batches_of_step(4), kNormalizer);
                              } catch (const IoError&) {
                                ++failed;
                                throw;
                              }
                            }),
               IoError);
  EXPECT_EQ(failed, 2) << "the other one waits for sums, until this one has ended";
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
                            {"multiple of 2", "got 1", "shards 2", "2 times as many batches"});
  expect_error<ConfigError>([&] { require_shareable(4, three); }, {"processes", "got 3"});
  EXPECT_NO_THROW(require_shareable(4, two));
}

}  // namespace
}  // namespace attend
