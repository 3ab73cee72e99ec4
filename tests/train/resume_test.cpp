// N steps are k steps, stopping, resuming and N-k steps: bit for bit, in memory and on disk.
#include <chrono>
#include <stdexcept>
#include <thread>

#include "attend/core/threads/interruption.h"
#include "core/scoped_threads.h"
#include "tensor/expect_error.h"
#include "train/toy_run.h"

namespace attend {
namespace {

struct Case {
  const char* name;
  int accumulate;
  float ema_decay;
  int save_every;
  int average_last;
  OptimizerKind optimizer = OptimizerKind::adam;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class ResumeTest : public TrainerTest, public testing::WithParamInterface<Case> {
 protected:
  ResumeTest() {
    options_.accumulate = GetParam().accumulate;
    options_.ema_decay = GetParam().ema_decay;
    options_.save_every = GetParam().save_every;
    options_.average_last = GetParam().average_last;
    options_.keep_checkpoints = 3;
    options_.optimizer.adam.clip_norm = 0.5f;
    options_.optimizer.kind = GetParam().optimizer;
  }

  void train_whole() { whole_.train(path("whole"), options_); }

  // One process: resumes when there is something, and ends at a step. `ended` is told how.
  void train_part(std::int64_t stop_at, std::int64_t fail_at, bool resume) {
    ToyRun run;
    run.recorder.stop_at = stop_at;
    run.recorder.fail_at = fail_at;
    try {
      run.train(path("parts"), options_, resume);
    } catch (const IoError&) {  // the failure asked for
    }
    for (const auto& [step, event] : run.recorder.steps) steps_[step] = event;
    last_ = run.objective.parameters().values().to_vector();
  }

  // A run that is told to end when, as `prepare` arranges it, there is time for that.
  template <class Prepare>
  void expect_interrupted(const Prepare& prepare) {
    ToyRun run;
    prepare(run.objective, [] { std::this_thread::sleep_for(std::chrono::milliseconds(120)); });
    {
      const InterruptionScope scope([] { throw std::runtime_error("ended"); });
      run.train(path("parts"), options_);
      EXPECT_TRUE(is_interrupted());
    }
    EXPECT_EQ(run.recorder.end.reason, TrainingEnd::interrupted);
    for (const auto& [step, event] : run.recorder.steps) steps_[step] = event;
  }

  void expect_the_same_run() {
    ASSERT_EQ(steps_.size(), whole_.recorder.steps.size());
    for (const auto& [step, expected] : whole_.recorder.steps) {
      const StepEvent& actual = steps_[step];
      EXPECT_EQ(actual.loss, expected.loss) << "step " << step;
      EXPECT_EQ(actual.gradient_norm, expected.gradient_norm) << "step " << step;
      EXPECT_EQ(actual.learning_rate, expected.learning_rate) << "step " << step;
      EXPECT_EQ(actual.epoch, expected.epoch) << "step " << step;
      EXPECT_EQ(actual.tokens, expected.tokens) << "step " << step;
    }
    EXPECT_EQ(last_, whole_.objective.parameters().values().to_vector());
    EXPECT_EQ(files_in("parts"), files_in("whole"));
  }

  // Names and contents of all files of a run: checkpoints with the optimizer's state, and the
  // model.
  std::map<std::string, std::string> files_in(const std::string& run) const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path(run)))
      if (entry.is_regular_file())
        files[std::filesystem::relative(entry.path(), path(run)).string()] = read(entry.path());
    return files;
  }

  ToyRun whole_;
  std::map<std::int64_t, StepEvent> steps_;
  std::vector<float> last_;
};

TEST_P(ResumeTest, AStoppedRunGoesOnAsIfItHadNotBeenStopped) {
  train_whole();
  for (std::int64_t stop_at = 1; stop_at <= 12; ++stop_at) {
    SCOPED_TRACE("stopped after step " + std::to_string(stop_at));
    std::filesystem::remove_all(path("parts"));
    steps_.clear();
    train_part(stop_at, -1, false);
    train_part(-1, -1, true);
    expect_the_same_run();
  }
}

TEST_P(ResumeTest, SoDoesOneThatIsStoppedAgainAndAgain) {
  train_whole();
  train_part(2, -1, false);
  for (const int stop_at : {3, 5, 6, 9, 10}) train_part(stop_at, -1, true);
  train_part(-1, -1, true);
  expect_the_same_run();
}

TEST_P(ResumeTest, SoDoesOneThatCrashed) {
  train_whole();
  for (std::int64_t fail_at = 1; fail_at <= 12; ++fail_at) {
    SCOPED_TRACE("crashed in step " + std::to_string(fail_at));
    std::filesystem::remove_all(path("parts"));
    steps_.clear();
    train_part(-1, fail_at, false);
    train_part(-1, -1, true);
    expect_the_same_run();
  }
}

TEST_P(ResumeTest, SoDoesOneThatIsInterruptedWithinAStep) {
  train_whole();
  for (const int call : {1, 2, 5, 8, 12}) {
    SCOPED_TRACE("interrupted in batch " + std::to_string(call));
    std::filesystem::remove_all(path("parts"));
    steps_.clear();
    expect_interrupted([&](ToyObjective& objective, const auto& wait) {
      objective.before_loss = [&objective, call, wait] {
        if (objective.calls == call) wait();
      };
    });
    train_part(-1, -1, true);
    expect_the_same_run();
  }
}

TEST_P(ResumeTest, SoDoesOneThatIsInterruptedBeforeABatchOfAStep) {
  train_whole();
  for (const auto& [epoch, batch] : {std::pair(0, 1), std::pair(0, 3), std::pair(1, 0)}) {
    SCOPED_TRACE(testing::Message() << "interrupted before batch " << batch << " of " << epoch);
    std::filesystem::remove_all(path("parts"));
    steps_.clear();
    expect_interrupted([&, e = epoch, b = batch](ToyObjective& objective, const auto& wait) {
      objective.before_size = [e, b, wait](std::int64_t at_epoch, std::int64_t at) {
        if (at_epoch != e || at != b) return;
        wait();
        look_for_interruption();
      };
    });
    train_part(-1, -1, true);
    expect_the_same_run();
  }
}

TEST_P(ResumeTest, SoDoesOneThatIsInterruptedWithinAValidation) {
  train_whole();
  for (const std::size_t number : {0, 1, 3}) {
    SCOPED_TRACE("interrupted in validation " + std::to_string(number));
    std::filesystem::remove_all(path("parts"));
    steps_.clear();
    expect_interrupted([&](ToyObjective& objective, const auto& wait) {
      objective.before_validation = [&objective, number, wait] {
        if (objective.validated_with.size() == number) wait();
      };
    });
    train_part(-1, -1, true);
    expect_the_same_run();
  }
}

// The runs are validated at steps 3, 6, 9 and 12.
TEST_P(ResumeTest, SoDoesOneWhoseValidationFailed) {
  train_whole();
  for (int failing = 1; failing <= 4; ++failing) {
    SCOPED_TRACE("failed in validation " + std::to_string(failing));
    std::filesystem::remove_all(path("parts"));
    steps_.clear();
    ToyRun run;
    int count = 0;
    run.objective.before_validation = [&] {
      if (++count == failing) throw DataError("what cannot be decoded");
    };
    EXPECT_THROW(run.train(path("parts"), options_), DataError);
    EXPECT_EQ(run.recorder.calls.back(), "end failed");
    EXPECT_EQ(run.recorder.end.resumable_step, 3 * failing);
    for (const auto& [step, event] : run.recorder.steps) steps_[step] = event;

    ToyRun rest;
    rest.train(path("parts"), options_, true);
    EXPECT_EQ(rest.recorder.start.resumed_step, 3 * failing) << "no step is lost";
    EXPECT_TRUE(rest.recorder.start.validates_again);
    ASSERT_GT(rest.recorder.calls.size(), 1u);
    EXPECT_TRUE(rest.recorder.calls[1].starts_with("validation " + std::to_string(3 * failing)))
        << rest.recorder.calls[1];
    for (const auto& [step, event] : rest.recorder.steps) {
      EXPECT_FALSE(steps_.contains(step)) << "step " << step << " was made twice";
      steps_[step] = event;
    }
    last_ = rest.objective.parameters().values().to_vector();
    expect_the_same_run();
  }
}

TEST_P(ResumeTest, SoDoesOneThatWasKilledInAValidationAgainAndAgain) {
  train_whole();
  for (int round = 0; round < 3; ++round) {
    ToyRun run;
    int count = 0;
    run.objective.before_validation = [&] {
      if (++count == 2) throw DataError("killed");  // the first is the one that failed before
    };
    try {
      run.train(path("parts"), options_, round > 0);
    } catch (const DataError&) {
    }
    for (const auto& [step, event] : run.recorder.steps) steps_[step] = event;
  }
  ToyRun rest;
  rest.train(path("parts"), options_, true);
  for (const auto& [step, event] : rest.recorder.steps) steps_[step] = event;
  last_ = rest.objective.parameters().values().to_vector();
  expect_the_same_run();
}

TEST_P(ResumeTest, AFinishedRunStaysAsItIs) {
  train_whole();
  const auto before = files_in("whole");
  ToyRun again;
  EXPECT_EQ(again.train(path("whole"), options_, true), TrainingEnd::finished);
  EXPECT_TRUE(again.recorder.steps.empty());
  EXPECT_EQ(files_in("whole"), before);
}

INSTANTIATE_TEST_SUITE_P(
    Settings, ResumeTest,
    testing::Values(Case{"plain", 1, 0.0f, 4, 0}, Case{"accumulating", 3, 0.0f, 4, 0},
                    Case{"moving_average", 1, 0.9f, 4, 0}, Case{"averaging", 1, 0.0f, 2, 3},
                    Case{"saved_at_the_end", 2, 0.9f, 0, 0}, Case{"everything", 2, 0.9f, 5, 2},
                    Case{"muon", 1, 0.9f, 4, 0, OptimizerKind::muon},
                    Case{"adam8bit", 1, 0.9f, 4, 0, OptimizerKind::adam8bit}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(TrainerTest, ResumingTellsWhereFrom) {
  ToyRun first, second;
  first.recorder.stop_at = 7;
  first.train(path("run"), options_);
  second.train(path("run"), options_, true);
  EXPECT_EQ(second.recorder.start.resumed_step, 7);
  EXPECT_EQ(second.recorder.start.resumed_from, checkpoint("run", 7).string());
  EXPECT_EQ(second.recorder.calls[1], "step 8");
}

TEST_F(TrainerTest, ResumingWhereNothingIsBeginsAnew) {
  ToyRun run;
  run.train(path("run"), options_, true);
  EXPECT_EQ(run.recorder.start.resumed_step, 0);
  EXPECT_EQ(run.recorder.start.resumed_from, "");
  EXPECT_EQ(run.recorder.steps.size(), 12u);
}

TEST_F(TrainerTest, ResumingPassesOverADamagedCheckpointAndSaysSo) {
  ToyRun first, second;
  first.train(path("run"), options_);
  write(checkpoint("run", 12), read(checkpoint("run", 12)).substr(0, 1000));
  second.train(path("run"), options_, true);
  EXPECT_EQ(second.recorder.start.resumed_step, 8);
  ASSERT_EQ(second.warnings.size(), 1u);
  EXPECT_CONTAINS(second.warnings[0], checkpoint("run", 12).string());
  EXPECT_EQ(second.objective.parameters().values().to_vector(),
            first.objective.parameters().values().to_vector());
}

TEST_F(TrainerTest, ResumingWhereAllCheckpointsAreDamagedChangesNothing) {
  ToyRun first, second;
  first.train(path("run"), options_);
  for (const std::int64_t step : saved_steps("run")) write(checkpoint("run", step), "damaged");
  const std::string model = read(path("run") / "model.safetensors");
  expect_error<DataError>([&] { second.train(path("run"), options_, true); },
                          {"none of the 3 checkpoints", "step-00000012"});
  EXPECT_TRUE(second.recorder.calls.empty()) << "nobody may write";
  EXPECT_EQ(read(path("run") / "model.safetensors"), model);
}

TEST_F(TrainerTest, ResumingRefusesNumbersThatNoRunHasCounted) {
  ToyRun first;
  first.recorder.stop_at = 7;
  first.train(path("run"), options_);
  const Checkpoint good = load_checkpoint(checkpoint("run", 7));
  const auto refuse = [&](const std::string& key, const std::string& number) {
    Checkpoint hostile = good;
    hostile.metadata["state." + key] = number;
    save_checkpoint(checkpoint("run", 7), hostile);
    ToyRun second;
    expect_error<DataError>([&] { second.train(path("run"), options_, true); },
                            {checkpoint("run", 7).string(), key});
  };
  refuse("step", "-1");
  refuse("step", "9223372036854775807");
  refuse("epoch", "-3");
  refuse("batch", "-1");
  refuse("batch", "1000000000");
  refuse("micro_step", "9223372036854775807");
  refuse("best_score", "nan");
  refuse("validations", "-1");
  refuse("without_improvement", "-1");
  refuse("first_nll", "nan");
  refuse("looks_above", "-1");
}

TEST_F(TrainerTest, ResumesWhatWasSavedBeforeDivergenceWasWatched) {
  ToyRun first, second;
  first.recorder.stop_at = 7;
  first.train(path("run"), options_);
  Checkpoint old = load_checkpoint(checkpoint("run", 7));
  EXPECT_EQ(old.metadata.erase("state.first_nll"), 1u);
  EXPECT_EQ(old.metadata.erase("state.looks_above"), 1u);
  save_checkpoint(checkpoint("run", 7), old);
  EXPECT_EQ(second.train(path("run"), options_, true), TrainingEnd::finished);
}

TEST_F(TrainerTest, ResumingKeepsCountingTowardsPatience) {
  options_.patience = 2;
  options_.max_steps = 100;
  ToyRun first, second;
  first.objective.scores = {5, 4};  // steps 3, 6
  first.recorder.stop_at = 7;
  first.train(path("run"), options_);
  second.objective.scores = {3};  // step 9
  EXPECT_EQ(second.train(path("run"), options_, true), TrainingEnd::stopped_early);
  EXPECT_EQ(second.recorder.steps.rbegin()->first, 9);
}

TEST_F(TrainerTest, ResumingRemembersTheBestModel) {
  ToyRun first, second;
  first.objective.scores = {5, 4};  // steps 3, 6
  first.recorder.stop_at = 6;
  first.train(path("run"), options_);
  const std::string best = read(path("run") / "model.safetensors");
  second.objective.scores = {4.5, 4.9};
  second.train(path("run"), options_, true);
  EXPECT_EQ(read(path("run") / "model.safetensors"), best);
}

TEST_F(TrainerTest, ResumesWithTheSameMovingAverageOnly) {
  ToyRun without, with, mixed;
  without.train(path("without"), options_);
  options_.ema_decay = 0.9f;
  with.train(path("with"), options_);
  expect_error<ConfigError>([&] { mixed.train(path("without"), options_, true); },
                            {"ema_decay", "without a moving average", "step-00000012"});
  options_.ema_decay = 0.0f;
  expect_error<ConfigError>([&] { mixed.train(path("with"), options_, true); },
                            {"ema_decay", "with a moving average", "same setting"});
}

TEST_F(TrainerTest, ResumesWithTheSameOptimizerOnly) {
  ToyRun adam, muon, mixed;
  adam.train(path("adam"), options_);
  options_.optimizer.kind = OptimizerKind::muon;
  muon.train(path("muon"), options_);
  expect_error<ConfigError>([&] { mixed.train(path("adam"), options_, true); },
                            {"optimizer", "step-00000012", "with adam", "same setting"});
  options_.optimizer.kind = OptimizerKind::adam;
  expect_error<ConfigError>([&] { mixed.train(path("muon"), options_, true); },
                            {"optimizer", "with muon", "same setting"});
}

TEST_F(TrainerTest, GivesTheSameRunWithOneThreadOrTwo) {
  ToyRun one, two;
  {
    const ScopedThreads scope(1);
    one.train(path("one"), options_);
  }
  const ScopedThreads scope(2);
  two.train(path("two"), options_);
  EXPECT_EQ(read(checkpoint("one", 12)), read(checkpoint("two", 12)));
}

TEST_F(TrainerTest, GivesAnotherRunForAnotherSeed) {
  ToyRun one, two;
  one.train(path("one"), options_);
  options_.seed = 4;
  two.train(path("two"), options_);
  EXPECT_NE(parameters_in(checkpoint("one", 12)), parameters_in(checkpoint("two", 12)));
}

}  // namespace
}  // namespace attend
