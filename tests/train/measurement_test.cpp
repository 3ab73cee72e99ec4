#include "attend/train/measurement.h"

#include <chrono>
#include <thread>

#include "train/toy_run.h"

namespace attend {
namespace {

// Steps on small batches, by which it is chosen what to time, and two that show what recomputing
// saves.
constexpr int kTrials = 5;

TEST(Measurement, CountsParametersStepsAndTokens) {
  ToyObjective objective;
  TrainerOptions options;
  options.accumulate = 2;
  const TrainingMeasurement m = measure_training(objective, options, {.steps = 5});
  EXPECT_EQ(m.parameters, objective.parameters().size());
  EXPECT_EQ(m.steps, 5);
  EXPECT_EQ(m.batch_tokens, 0) << "the batches of the run";
  EXPECT_EQ(objective.calls - kTrials, 2 * 5 * 2) << "as many to warm up, two batches each";
  EXPECT_DOUBLE_EQ(m.steps_per_epoch, 2.0);
  ASSERT_EQ(m.phases.size(), 1u);
  EXPECT_EQ(m.phases[0].begin, 0);
  EXPECT_GT(m.phases[0].tokens_per_second, 0.0);
  EXPECT_GT(m.phases[0].seconds_per_epoch, 0.0);
  EXPECT_DOUBLE_EQ(m.seconds_for(6), 3 * m.phases[0].seconds_per_epoch);
  EXPECT_GT(m.peak_bytes, m.parameters * 4);
  EXPECT_GT(m.process_bytes, m.peak_bytes);
  EXPECT_EQ(m.saved_by_8_bits, 8 * m.parameters - Adam8Bit::state_bytes(m.parameters));
}

// Keeps a tensor for every target, unless it is to compute its activations again.
TEST(Measurement, EstimatesWhatRecomputedActivationsSave) {
  class WithActivations final : public ToyObjective {
   public:
    BatchLoss loss(std::int64_t epoch, std::int64_t batch, double normalizer, Pass& pass) override {
      const std::int64_t targets = size(epoch, batch).targets;
      const Tensor activations = pass.recompute ? Tensor() : Tensor::empty({1000 * targets});
      return ToyObjective::loss(epoch, batch, normalizer, pass);
    }
  } objective;
  const TrainingMeasurement m = measure_training(objective, {}, {.steps = 1});
  double targets = 0;
  for (std::int64_t i = 0; i < objective.batches(0); ++i)
    targets += static_cast<double>(objective.size(0, i).targets);
  const double mean = targets / static_cast<double>(objective.batches(0));
  EXPECT_NEAR(static_cast<double>(m.saved_by_recompute), 4.0 * 1000 * mean, 400 * mean);
  TrainerOptions recomputing;
  recomputing.recompute = true;
  recomputing.optimizer.kind = OptimizerKind::adam8bit;
  const TrainingMeasurement saved = measure_training(objective, recomputing, {.steps = 1});
  EXPECT_EQ(saved.saved_by_recompute, 0) << "it is not there to save";
  EXPECT_EQ(saved.saved_by_8_bits, 0);
}

TEST(Measurement, MeasuresEveryPhaseAndAddsThemUp) {
  class InTwoPhases final : public ToyObjective {
   public:
    std::vector<std::int64_t> phases() const override { return {0, 3}; }
    BatchLoss loss(std::int64_t epoch, std::int64_t batch, double normalizer, Pass& pass) override {
      ++calls_in[epoch < 3 ? 0 : 1];
      return ToyObjective::loss(epoch, batch, normalizer, pass);
    }
    int calls_in[2] = {0, 0};
  } objective;
  TrainingMeasurement m = measure_training(objective, {}, {.steps = 4});
  EXPECT_EQ(objective.calls_in[0], 8);
  EXPECT_EQ(objective.calls_in[1] - kTrials, 8) << "tried where a step costs most";
  ASSERT_EQ(m.phases.size(), 2u);
  EXPECT_EQ(m.phases[1].begin, 3);
  m.phases[0].seconds_per_epoch = 1;
  m.phases[1].seconds_per_epoch = 10;
  EXPECT_DOUBLE_EQ(m.seconds_for(4), 1);           // an epoch
  EXPECT_DOUBLE_EQ(m.seconds_for(4 * 5), 3 + 20);  // two epochs longer than the first phase
}

// A model that is slow: every token takes its time, and a batch of the run would take a minute.
class SlowObjective final : public ToyObjective {
 public:
  static constexpr double kSeconds = 2e-4;
  std::int64_t batches(std::int64_t) override { return 10; }
  BatchSize size(std::int64_t, std::int64_t) override { return {limit_ > 0 ? limit_ : 300000, 0}; }
  void limit_batches(std::int64_t tokens) override { limit_ = tokens; }
  BatchLoss loss(std::int64_t epoch, std::int64_t batch, double normalizer, Pass& pass) override {
    largest = std::max(largest, size(epoch, batch).targets);
    std::this_thread::sleep_for(std::chrono::duration<double>(kSeconds) *
                                static_cast<double>(size(epoch, batch).targets));
    return ToyObjective::loss_of_rows(size(epoch, batch).targets, normalizer, pass);
  }
  std::int64_t limit() const { return limit_; }
  std::int64_t largest = 0;

 private:
  std::int64_t limit_ = 0;
};

TEST(Measurement, EstimatesFromSmallerBatchesWhatWouldTakeTooLong) {
  SlowObjective objective;
  TrainerOptions options;
  options.accumulate = 4;
  const auto begun = std::chrono::steady_clock::now();
  const TrainingMeasurement m = measure_training(objective, options, {.steps = 10, .seconds = 1});
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun;
  EXPECT_LT(taken.count(), 10) << "a step of the run would take four minutes";
  EXPECT_EQ(m.steps, 1);
  EXPECT_GT(m.batch_tokens, 0);
  EXPECT_EQ(objective.largest, std::max<std::int64_t>(m.batch_tokens, 256));
  EXPECT_EQ(objective.limit(), 0) << "afterwards the batches are those of the run";
  EXPECT_DOUBLE_EQ(m.steps_per_epoch, 2.5);
  const double speed = m.phases[0].tokens_per_second;
  EXPECT_GT(speed, 0.1 / SlowObjective::kSeconds);
  EXPECT_LT(speed, 1 / SlowObjective::kSeconds);
  EXPECT_NEAR(m.phases[0].seconds_per_epoch, 10 * 300000 / speed, 1e-6 * 10 * 300000 / speed);
  EXPECT_GT(m.peak_bytes, 100 * m.parameters) << "as large batches need it";
}

TEST(Measurement, FindsThatASteadyStepAsksTheSystemForNoMemory) {
  ToyObjective objective;
  EXPECT_EQ(measure_training(objective, {}, {.steps = 20}).allocator_calls, 0);
}

TEST(Measurement, LeavesNoFiles) {
  const auto before = std::filesystem::exists("checkpoints");
  ToyObjective objective;
  measure_training(objective, {}, {.steps = 2});
  EXPECT_EQ(std::filesystem::exists("checkpoints"), before);
}

}  // namespace
}  // namespace attend
