#include "attend/train/trainer.h"
#include "attend/checkpoint/finite.h"

#include <algorithm>
#include <cmath>

#include "attend/backend/backend.h"
#include "attend/checkpoint/run_lock.h"
#include "tensor/expect_error.h"
#include "train/toy_run.h"

namespace attend {
namespace {

using Calls = std::vector<std::string>;

TEST_F(TrainerTest, GivesTheScheduleTheWidthOfTheModel) {
  ToyRun run;
  options_.schedule.kind = ScheduleKind::noam;
  options_.schedule.learning_rate = 1.0f;
  run.train(path("run"), options_);
  EXPECT_NEAR(run.recorder.steps.at(1).learning_rate, std::pow(64.0, -0.5) * std::pow(4.0, -1.5),
              1e-6)
      << "of 64, after 1 of 4 steps";
}

TEST_F(TrainerTest, Learns) {
  options_.max_steps = 300;
  ToyRun run;
  EXPECT_EQ(run.train(path("run"), options_), TrainingEnd::finished);
  EXPECT_LT(run.recorder.steps[300].loss, run.recorder.steps[1].loss / 4);
}

TEST_F(TrainerTest, MultipliesInBf16WhenAsked) {
  options_.max_steps = 300;
  TrainerOptions narrow = options_;
  narrow.precision = Precision::bf16;
  ToyRun wide_run, narrow_run;
  wide_run.train(path("wide"), options_);
  narrow_run.train(path("narrow"), narrow);
  // A factor is off by at most 2^-9 of itself: the first losses agree to about a hundredth, and
  // differ.
  const double wide = wide_run.recorder.steps[1].loss, first = narrow_run.recorder.steps[1].loss;
  EXPECT_NEAR(first, wide, 0.02 * wide);
  EXPECT_NE(first, wide);
  EXPECT_LT(narrow_run.recorder.steps[300].loss, first / 4);
}

TEST_F(TrainerTest, TellsItsListenersInOrder) {
  ToyRun run;
  run.objective.scores = {1, 3, 2, 4};
  options_.max_steps = 10;
  run.train(path("run"), options_);
  EXPECT_EQ(run.recorder.calls,
            (Calls{"start", "step 1", "step 2", "step 3", "validation 3 best", "step 4",
                   "checkpoint 4", "step 5", "step 6", "validation 6 best", "step 7", "step 8",
                   "checkpoint 8", "step 9", "validation 9", "step 10", "validation 10 best",
                   "checkpoint 10 best", "end finished"}));
}

TEST_F(TrainerTest, ValidatesBeforeItSavesAStep) {
  options_.valid_every = options_.save_every = 2;
  options_.max_steps = 4;
  ToyRun run;
  run.objective.scores = {1, 0};
  run.train(path("run"), options_);
  EXPECT_EQ(run.recorder.calls,
            (Calls{"start", "step 1", "step 2", "validation 2 best", "checkpoint 2 best", "step 3",
                   "step 4", "validation 4", "checkpoint 4", "end finished"}));
}

TEST_F(TrainerTest, HasACheckpointBeforeEveryValidationAndNoMoreOfItAfterwards) {
  ToyRun run;
  std::vector<std::vector<std::int64_t>> during;
  run.objective.before_validation = [&] { during.push_back(saved_steps("run")); };
  run.train(path("run"), options_);
  EXPECT_EQ(during, (std::vector<std::vector<std::int64_t>>{{3}, {4, 6}, {4, 8, 9}, {4, 8, 12}}));
  EXPECT_EQ(saved_steps("run"), (std::vector<std::int64_t>{4, 8, 12}));
}

TEST_F(TrainerTest, ValidatesAgainWhatWasSavedBeforeItsValidationOnly) {
  ToyRun first, second, third;
  first.objective.before_validation = [] { throw DataError("what cannot be decoded"); };
  EXPECT_THROW(first.train(path("run"), options_), DataError);
  second.recorder.stop_at = 6;
  second.train(path("run"), options_, true);
  EXPECT_TRUE(second.recorder.start.validates_again);
  third.train(path("run"), options_, true);
  EXPECT_FALSE(third.recorder.start.validates_again);
  EXPECT_EQ(third.recorder.calls[1], "step 7");
}

TEST_F(TrainerTest, ReportsWhatFailedFirst) {
  ToyRun run;
  Recorder other;
  run.recorder.fail_at = 5;
  run.recorder.fails_at_end = true;
  TrainingRun both{RunFolder(path("run")),  false,   64, ToyRun::describe,
                   {&run.recorder, &other}, nullptr, {}};
  Trainer trainer(run.objective, options_, std::move(both));
  expect_error<IoError>([&] { trainer.train(); }, {"disk full"});
  EXPECT_EQ(other.calls.back(), "end failed") << "every listener hears of the end";
  EXPECT_EQ(other.end.resumable_step, 4);
}

TEST_F(TrainerTest, RefusesAFolderThatAnotherRunIsUsing) {
  std::filesystem::create_directories(path("run"));
  for (const bool resume : {false, true}) {
    const RunLock held(path("run"));
    ToyRun run;
    expect_error<ConfigError>([&] { run.train(path("run"), options_, resume); },
                              {path("run").string(), "another run", "process"});
    EXPECT_TRUE(run.recorder.calls.empty()) << "nobody may write";
  }
  ToyRun run;
  run.objective.before_validation = [&] {
    EXPECT_THROW(RunLock(path("run")), ConfigError) << "held to the end";
  };
  run.train(path("run"), options_);
  EXPECT_FALSE(std::filesystem::exists(path("run") / ".lock"));
}

TEST_F(TrainerTest, ValidatesAndSavesTheLastStepOnly) {
  options_.valid_every = 0;
  for (const int save_every : {0, 6}) {  // 12 is a multiple of 6: still the validation comes first
    options_.save_every = save_every;
    ToyRun run;
    run.train(path("run" + std::to_string(save_every)), options_);
    const Calls last(run.recorder.calls.end() - 4, run.recorder.calls.end());
    EXPECT_EQ(last, (Calls{"step 12", "validation 12 best", "checkpoint 12 best", "end finished"}));
  }
  EXPECT_EQ(saved_steps("run0"), (std::vector<std::int64_t>{12}));
}

TEST_F(TrainerTest, ReportsWhatAStepDid) {
  options_.accumulate = 3;
  ToyRun run;
  run.train(path("run"), options_);
  const auto schedule = make_schedule(options_.schedule, 64, options_.max_steps);
  EXPECT_EQ(run.recorder.start.total_steps, 12);
  EXPECT_EQ(run.recorder.start.parameters, 96);
  EXPECT_EQ(run.recorder.start.seed, 3u);
  EXPECT_EQ(run.recorder.steps[1].tokens, 3 + 4 + 5);
  EXPECT_EQ(run.recorder.steps[1].epoch, 1);
  EXPECT_EQ(run.recorder.steps[2].tokens, 3 + 4 + 5) << "the last batch of epoch 1, two of epoch 2";
  EXPECT_EQ(run.recorder.steps[2].epoch, 2);
  EXPECT_EQ(run.objective.calls, 3 * 12);
  for (const auto& [step, event] : run.recorder.steps) {
    EXPECT_EQ(event.learning_rate, static_cast<double>(schedule->at(step)));
    EXPECT_GT(event.gradient_norm, 0);
  }
}

// The gradients of all batches of a step, each divided by the targets of the whole step; each batch
// with dropout of its own.
TEST_F(TrainerTest, ASteppedGradientIsTheMeanOverTheTargetsOfAllItsBatches) {
  options_.accumulate = 3;
  ToyObjective trained, plain;
  Trainer trainer(trained, options_,
                  {RunFolder(path("run")), false, 64, ToyRun::describe, {}, nullptr, {}});
  const StepEvent event = trainer.update();
  double loss = 0;
  for (std::int64_t batch = 0; batch < 3; ++batch) {
    Pass pass = Pass::training(options_.seed, static_cast<std::uint64_t>(batch) + 1);
    const BatchLoss part = plain.loss(0, batch, 3 + 4 + 5, pass);
    backward(part.loss);
    loss += part.loss_sum;
  }
  EXPECT_EQ(trained.parameters().gradients().to_vector(),
            plain.parameters().gradients().to_vector());
  EXPECT_DOUBLE_EQ(event.loss, loss / (3 + 4 + 5));
  EXPECT_DOUBLE_EQ(event.gradient_norm,
                   std::sqrt(backend()->sum_of_squares(plain.parameters().gradients())));
}

TEST_F(TrainerTest, EndsAfterSoManyEpochs) {
  options_.max_epochs = 2;  // of 4 and 5 batches
  ToyRun run;
  EXPECT_EQ(run.train(path("run"), options_), TrainingEnd::finished);
  EXPECT_EQ(run.recorder.steps.size(), 9u);
  EXPECT_EQ(saved_steps("run"), (std::vector<std::int64_t>{4, 8, 9}));
}

TEST_F(TrainerTest, PlansItsScheduleForTheEpochs) {
  options_.max_epochs = 2;
  options_.max_steps = 1000;
  options_.schedule.kind = ScheduleKind::linear;
  ToyRun run;
  run.train(path("run"), options_);
  EXPECT_EQ(run.recorder.start.total_steps, 8) << "two epochs as long as the first";
  EXPECT_GT(run.recorder.steps[7].learning_rate, 0);
  EXPECT_EQ(run.recorder.steps[8].learning_rate, 0);
  EXPECT_EQ(run.recorder.steps.size(), 9u) << "the second is longer";
}

TEST_F(TrainerTest, StopsWhenPatienceRunsOut) {
  options_.patience = 2;
  options_.max_steps = 100;
  ToyRun run;
  run.objective.scores = {1, 3, 2, 2.5};  // steps 3, 6, 9, 12
  EXPECT_EQ(run.train(path("run"), options_), TrainingEnd::stopped_early);
  EXPECT_EQ(run.recorder.steps.size(), 12u);
  EXPECT_EQ(run.recorder.calls.back(), "end stopped early");
  EXPECT_EQ(saved_steps("run"), (std::vector<std::int64_t>{4, 8, 12}));
}

TEST_F(TrainerTest, HasNoPatienceWithoutHeldOutText) {
  options_.patience = 2;
  ToyRun run;
  run.objective.validates = false;
  expect_error<ConfigError>([&] { run.train(path("run"), options_); }, {"patience", "valid"});
}

TEST_F(TrainerTest, ImprovementRestoresPatience) {
  options_.patience = 2;
  options_.max_steps = 100;
  ToyRun run;
  run.objective.scores = {1, 0, 2, 1, 3, 0, 0};
  EXPECT_EQ(run.train(path("run"), options_), TrainingEnd::stopped_early);
  EXPECT_EQ(run.recorder.steps.size(), 21u);
}

TEST_F(TrainerTest, StopsAndSavesWhenAskedTo) {
  ToyRun run;
  run.recorder.stop_at = 6;
  EXPECT_EQ(run.train(path("run"), options_), TrainingEnd::interrupted);
  const Calls last(run.recorder.calls.end() - 4, run.recorder.calls.end());
  EXPECT_EQ(last, (Calls{"step 6", "validation 6 best", "checkpoint 6 best", "end interrupted"}));
  EXPECT_EQ(saved_steps("run"), (std::vector<std::int64_t>{4, 6}));
}

TEST_F(TrainerTest, SaysHowItEndedWhenAListenerFails) {
  ToyRun run;
  run.recorder.fail_at = 5;
  expect_error<IoError>([&] { run.train(path("run"), options_); }, {"disk full"});
  EXPECT_EQ(run.recorder.calls.back(), "end failed");
}

TEST_F(TrainerTest, DoesNotBeginAnewWhereARunIs) {
  ToyRun first, second;
  first.train(path("run"), options_);
  const std::string before = read(checkpoint("run", 12));
  expect_error<ConfigError>([&] { second.train(path("run"), options_); },
                            {path("run").string(), "12 steps", "resume", "another folder"});
  EXPECT_TRUE(second.recorder.calls.empty());
  EXPECT_EQ(read(checkpoint("run", 12)), before);
}

TEST_F(TrainerTest, RefusesWhatMakesNoSense) {
  const auto make = [this](auto&& change) {
    TrainerOptions options = options_;
    change(options);
    ToyRun().train(path("never"), options);
  };
  expect_error<ConfigError>([&] { make([](TrainerOptions& o) { o.max_steps = 0; }); },
                            {"max_steps", "from 1", "0"});
  expect_error<ConfigError>([&] { make([](TrainerOptions& o) { o.accumulate = 0; }); },
                            {"accumulate", "from 1"});
  expect_error<ConfigError>([&] { make([](TrainerOptions& o) { o.valid_every = -1; }); },
                            {"valid_every", "-1"});
  expect_error<ConfigError>([&] { make([](TrainerOptions& o) { o.save_every = -5; }); },
                            {"save_every", "-5"});
  expect_error<ConfigError>([&] { make([](TrainerOptions& o) { o.patience = -1; }); },
                            {"patience", "-1"});
  expect_error<ConfigError>([&] { make([](TrainerOptions& o) { o.average_last = 11; }); },
                            {"average_last", "11", "keep_checkpoints is 10"});
  expect_error<ConfigError>([&] { make([](TrainerOptions& o) { o.ema_decay = 1.0f; }); },
                            {"ema_decay", "from 0 to below 1"});
  expect_error<ConfigError>([&] { make([](TrainerOptions& o) { o.optimizer.adam.beta1 = 2.0f; }); },
                            {"adam_beta1"});
  expect_error<ConfigError>(
      [&] { make([](TrainerOptions& o) { o.schedule.learning_rate = 0.0f; }); }, {"learning_rate"});
  EXPECT_FALSE(std::filesystem::exists(path("never")));
}

}  // namespace
}  // namespace attend
