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
  EXPECT_GT(m.tokens_per_second, 0.0);
  EXPECT_GT(m.seconds_per_epoch, 0.0);
  EXPECT_GT(m.peak_bytes, m.parameters * 4);
  EXPECT_GT(m.process_bytes, m.peak_bytes);
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
