// When a run diverges: where it stops, what it says and which checkpoints it leaves.
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <thread>

#include "attend/checkpoint/finite.h"
#include "attend/core/threads/interruption.h"
#include "attend/train/trainer.h"
#include "tensor/expect_error.h"
#include "train/toy_run.h"

namespace attend {
namespace {

TEST_F(TrainerTest, StopsAtAValidationThatIsNoNumber) {
  options_.valid_every = options_.save_every = 4;
  ToyRun run;
  run.objective.before_validation = [&] {
    run.objective.validation_is_nan = run.objective.validated_with.size() == 1;
  };
  expect_error<DivergedError>(
      [&] { run.train(path("run"), options_); },
      {"validation loss is not a finite number at step 8", "step 4 is good", "resume"});
  EXPECT_EQ(run.recorder.calls.back(), "end diverged");
  EXPECT_EQ(saved_steps("run"), (std::vector<std::int64_t>{4}));
}

TEST_F(TrainerTest, StopsAtASampleThatIsNoNumber) {
  ToyRun run;
  run.add_samples = [](Checkpoint&) { throw NotFiniteError("log-probability"); };
  expect_error<DivergedError>([&] { run.train(path("run"), options_); },
                              {"score of a sample is not a finite number at step"});
  EXPECT_FALSE(std::filesystem::exists(path("run") / "model.safetensors"));
}

TEST_F(TrainerTest, StopsAtALossThatIsNoNumber) {
  options_.save_every = 2;
  ToyRun run;
  run.objective.nan_at_call = 6;
  expect_error<DivergedError>(
      [&] { run.train(path("run"), options_); },
      {"loss is not a finite number at step 6", "learning rate 0.00816", "lower learning_rate",
       "warmup_steps", "clip_norm 1", "step 4 is good", "resume"});
  EXPECT_EQ(run.recorder.calls.back(), "end diverged");
  EXPECT_EQ(saved_steps("run"), (std::vector<std::int64_t>{2, 4}));
  for (const float x : parameters_in(checkpoint("run", 4))) EXPECT_TRUE(std::isfinite(x));
}

TEST_F(TrainerTest, SavesNoLossThatIsNoNumberWhenItIsInterrupted) {
  options_.save_every = 2;
  ToyRun run;
  run.objective.nan_at_call = 5;
  run.objective.before_loss = [&] {
    if (run.objective.calls == 6) std::this_thread::sleep_for(std::chrono::milliseconds(120));
  };
  const InterruptionScope scope([] { throw std::runtime_error("ended"); });
  expect_error<DivergedError>([&] { run.train(path("run"), options_); },
                              {"loss is not a finite number at step 5", "step 2 is good"});
  EXPECT_TRUE(is_interrupted());
  EXPECT_EQ(saved_steps("run"), (std::vector<std::int64_t>{2}));
}

TEST_F(TrainerTest, StopsAtAGradientThatIsNoNumber) {
  ToyRun run;
  run.objective.infinite_gradient_at_call = 3;
  expect_error<DivergedError>([&] { run.train(path("run"), options_); },
                              {"gradient", "step 3", "no good checkpoint had been saved yet"});
  EXPECT_TRUE(saved_steps("run").empty());
}

TEST_F(TrainerTest, StopsAtALossThatIsANumberAndHopeless) {
  options_.schedule.learning_rate = 1e6f;
  ToyRun run;
  expect_error<DivergedError>(
      [&] { run.train(path("run"), options_); },
      {"the loss is too high at step 3", "in the first step 0.", "gradient norm",
       "learning rate 7.5e+05", "lower learning_rate", "warmup_steps", "clip_norm 1",
       "no good checkpoint had been saved yet"});
  EXPECT_EQ(run.recorder.calls.back(), "end diverged");
  EXPECT_EQ(run.recorder.end.resumable_step, 0);
  EXPECT_FALSE(std::filesystem::exists(path("run") / "model.safetensors"));
}

TEST_F(TrainerTest, LooksForALossThatIsHopelessWhereNothingIsKept) {
  options_.valid_every = options_.save_every = 0;
  options_.max_steps = 100;
  ToyRun run;
  run.objective.nll_at_call = {{19, 1e6}, {20, 1e6}};
  expect_error<DivergedError>([&] { run.train(path("run"), options_); }, {"too high at step 20"});
  ToyRun spike;
  spike.objective.nll_at_call = {{19, 1e6}};
  EXPECT_EQ(spike.train(path("spike"), options_), TrainingEnd::finished);
}

TEST_F(TrainerTest, ComparesErrorsWithTheLargestOneThatIsPossible) {
  options_.valid_every = options_.save_every = 0;
  options_.max_steps = 30;
  const auto end = [&](double largest, const char* name) {
    ToyRun run;
    run.objective.largest = largest;
    run.objective.nll_at_call = {{20, 6400}};
    return run.train(path(name), options_);
  };
  EXPECT_EQ(end(6400, "numbers"), TrainingEnd::finished);
  EXPECT_THROW(end(1, "likelihood"), DivergedError);
}

TEST_F(TrainerTest, StopsWhereALossStaysAboveGuessing) {
  options_.valid_every = options_.save_every = 0;
  options_.max_steps = 300;
  ToyRun run, better;
  for (std::int64_t step = 5; step <= 300; ++step) run.objective.nll_at_call[step] = 30;
  better.objective.nll_at_call = run.objective.nll_at_call;
  better.objective.nll_at_call[150] = 10;
  expect_error<DivergedError>([&] { run.train(path("run"), options_); }, {"too high at step 200"});
  EXPECT_EQ(better.train(path("better"), options_), TrainingEnd::finished);
}

TEST_F(TrainerTest, CountsOnTowardsDivergenceWhenItIsResumed) {
  options_.valid_every = options_.save_every = 0;
  options_.max_steps = 300;
  ToyRun first, second;
  for (std::int64_t step = 5; step <= 300; ++step) {
    first.objective.nll_at_call[step] = 30;
    second.objective.nll_at_call[step - 103] = 30;  // the calls of another process
  }
  first.recorder.stop_at = 103;
  EXPECT_EQ(first.train(path("run"), options_), TrainingEnd::interrupted);
  expect_error<DivergedError>([&] { second.train(path("run"), options_, true); },
                              {"too high at step 200", "step 103 is good"});
}

TEST_F(TrainerTest, NamesTheCheckpointBeforeAHopelessLoss) {
  ToyRun run;
  run.objective.validates = false;
  run.objective.nll_at_call = {{7, 1e6}, {8, 1e6}};
  expect_error<DivergedError>(
      [&] { run.train(path("run"), options_); },
      {"too high at step 8", "the checkpoint of step 4 is good: continue with resume"});
  EXPECT_EQ(run.recorder.end.resumable_step, 4);
  EXPECT_EQ(saved_steps("run"), std::vector<std::int64_t>{4});
}

TEST_F(TrainerTest, SetsACheckpointAsideThatLeadsToAHopelessLoss) {
  options_.save_every = 2;
  ToyRun run;
  run.objective.validates = false;
  run.objective.nll_at_call = {{5, 1e6}, {6, 1e6}};
  expect_error<DivergedError>([&] { run.train(path("run"), options_); },
                              {"at step 6", "the checkpoint of step 4 diverges again",
                               "diverged-step-00000004.safetensors", "step 2 is good"});
  EXPECT_EQ(saved_steps("run"), std::vector<std::int64_t>{2});
  EXPECT_EQ(run.recorder.end.resumable_step, 2);
  const std::filesystem::path aside =
      checkpoint("run", 4).parent_path() / "diverged-step-00000004.safetensors";
  EXPECT_FALSE(parameters_in(aside).empty()) << "nothing is lost";

  ToyRun again;
  again.train(path("run"), options_, true);
  EXPECT_EQ(again.recorder.start.resumed_step, 2);
}

TEST_F(TrainerTest, StopsAtAValidationThatIsHopeless) {
  options_.valid_every = options_.save_every = 4;
  ToyRun run;
  run.objective.before_validation = [&] {
    if (run.objective.validated_with.size() == 1) run.objective.validation_nll = 1e4;
  };
  expect_error<DivergedError>([&] { run.train(path("run"), options_); },
                              {"validation loss is too high at step 8", "step 4 is good"});
  EXPECT_EQ(saved_steps("run"), (std::vector<std::int64_t>{4}));
}

}  // namespace
}  // namespace attend
