#include "attend/train/measurement.h"

#include "train/toy_run.h"

namespace attend {
namespace {

TEST(Measurement, CountsParametersStepsAndTokens) {
  ToyObjective objective;
  TrainerOptions options;
  options.accumulate = 2;
  const TrainingMeasurement m = measure_training(objective, options, 5);
  EXPECT_EQ(m.parameters, objective.parameters().size());
  EXPECT_EQ(m.steps, 5);
  EXPECT_EQ(objective.calls, 2 * 5 * 2) << "as many steps to warm up, two batches each";
  EXPECT_DOUBLE_EQ(m.steps_per_epoch, 2.0);
  ASSERT_EQ(m.phases.size(), 1u);
  EXPECT_EQ(m.phases[0].begin, 0);
  EXPECT_GT(m.phases[0].tokens_per_second, 0.0);
  EXPECT_GT(m.phases[0].seconds_per_epoch, 0.0);
  EXPECT_DOUBLE_EQ(m.seconds_for(6), 3 * m.phases[0].seconds_per_epoch);
  EXPECT_GT(m.peak_bytes, m.parameters * 4);
  EXPECT_GT(m.process_bytes, m.peak_bytes);
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
  TrainingMeasurement m = measure_training(objective, {}, 4);
  EXPECT_EQ(objective.calls_in[0], 8);
  EXPECT_EQ(objective.calls_in[1], 8);
  ASSERT_EQ(m.phases.size(), 2u);
  EXPECT_EQ(m.phases[1].begin, 3);
  m.phases[0].seconds_per_epoch = 1;
  m.phases[1].seconds_per_epoch = 10;
  EXPECT_DOUBLE_EQ(m.seconds_for(4), 1);           // an epoch
  EXPECT_DOUBLE_EQ(m.seconds_for(4 * 5), 3 + 20);  // two epochs longer than the first phase
}

TEST(Measurement, FindsThatASteadyStepAsksTheSystemForNoMemory) {
  ToyObjective objective;
  EXPECT_EQ(measure_training(objective, {}, 20).allocator_calls, 0);
}

TEST(Measurement, LeavesNoFiles) {
  const auto before = std::filesystem::exists("checkpoints");
  ToyObjective objective;
  measure_training(objective, {}, 2);
  EXPECT_EQ(std::filesystem::exists("checkpoints"), before);
}

}  // namespace
}  // namespace attend
