// Several processes train together, with the bits of one.
#include <map>

#include "collective/thread_processes.h"
#include "tensor/expect_error.h"
#include "train/toy_run.h"

namespace attend {
namespace {

class TogetherTest : public TrainerTest {
 protected:
  TogetherTest() {
    options_.shards = 4;
    options_.accumulate = 2;
    options_.ema_decay = 0.9f;
    options_.optimizer.adam.clip_norm = 0.5f;
  }

  // The files that `size` processes leave behind, what the first tells its listeners, and how the
  // run ended for each.
  struct Left {
    std::map<std::string, std::string> files;
    std::vector<std::string> calls;
    std::map<std::int64_t, std::pair<double, double>> steps;  // loss, norm of the gradient
    std::vector<TrainingEnd> ends;
  };

  // `prepare` changes the run of a process before it starts.
  using Prepare = std::function<void(ToyRun& run, int rank)>;
  Left train(int size, const std::string& name, bool resume = false, const Prepare& prepare = {}) {
    Left left;
    left.ends.resize(static_cast<std::size_t>(size));
    in_processes(size, [&](const std::shared_ptr<ThreadProcess>& process) {
      ToyRun toy;
      if (prepare) prepare(toy, process->rank());
      TrainingRun run{RunFolder(path(name)), resume, 64, ToyRun::describe, {},
                      &toy.recorder.stop,    {}};
      run.processes = process;
      if (process->is_first()) run.listeners = {&toy.recorder};
      left.ends[static_cast<std::size_t>(process->rank())] =
          Trainer(toy.objective, options_, std::move(run)).train();
      if (!process->is_first()) {
        EXPECT_TRUE(toy.objective.validated_with.empty()) << "only the first validates";
        return;
      }
      left.calls = toy.recorder.calls;
      for (const auto& [step, event] : toy.recorder.steps)
        left.steps[step] = {event.loss, event.gradient_norm};
    });
    left.files = files_in(name);
    return left;
  }

  std::map<std::string, std::string> files_in(const std::string& run) const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path(run)))
      if (entry.is_regular_file())
        files[std::filesystem::relative(entry.path(), path(run)).string()] = read(entry.path());
    return files;
  }

  static void expect_equal(const Left& actual, const Left& expected) {
    EXPECT_EQ(actual.files, expected.files);
    EXPECT_EQ(actual.calls, expected.calls);
    EXPECT_EQ(actual.steps, expected.steps);
  }
};

TEST_F(TogetherTest, AnyNumberLeavesTheSameBytes) {
  for (const OptimizerKind kind :
       {OptimizerKind::adam, OptimizerKind::muon, OptimizerKind::adam8bit}) {
    SCOPED_TRACE(static_cast<int>(kind));
    options_.optimizer.kind = kind;
    const std::string name = "run" + std::to_string(static_cast<int>(kind));
    const Left alone = train(1, name + "of1");
    EXPECT_EQ(alone.steps.size(), 12u);
    for (const int size : {2, 4}) {
      SCOPED_TRACE(size);
      expect_equal(train(size, name + "of" + std::to_string(size)), alone);
    }
  }
}

TEST_F(TogetherTest, AnyNumberLeavesTheSameBytesOnAWireOf16Bits) {
  const Left exact = train(1, "exact");
  options_.wire = Wire::bf16;
  const Left alone = train(1, "of1");
  EXPECT_NE(alone.files, exact.files);
  for (const auto& [step, losses] : alone.steps)
    EXPECT_NEAR(losses.first, exact.steps.at(step).first, 0.01 * exact.steps.at(step).first);
  for (const int size : {2, 4}) {
    SCOPED_TRACE(size);
    expect_equal(train(size, "of" + std::to_string(size)), alone);
  }
}

// Checkpoints hold the whole state, whoever has which part of it.
TEST_F(TogetherTest, AShardedOptimizerLeavesTheSameBytes) {
  for (const OptimizerKind kind :
       {OptimizerKind::adam, OptimizerKind::muon, OptimizerKind::adam8bit}) {
    SCOPED_TRACE(static_cast<int>(kind));
    options_.optimizer.kind = kind;
    options_.shard_optimizer = false;
    const std::string name = "run" + std::to_string(static_cast<int>(kind));
    const Left whole = train(1, name + "whole");
    options_.shard_optimizer = true;
    for (const int size : {1, 2, 4}) {
      SCOPED_TRACE(size);
      expect_equal(train(size, name + "of" + std::to_string(size)), whole);
    }
  }
}

// Muon multiplies matrices.
TEST_F(TogetherTest, AShardedOptimizerMultipliesInThePrecisionOfTheTraining) {
  options_.optimizer.kind = OptimizerKind::muon;
  const Left exact = train(1, "exact");
  options_.precision = Precision::bf16;
  const Left whole = train(1, "whole");
  ASSERT_NE(whole.files, exact.files);
  options_.shard_optimizer = true;
  expect_equal(train(2, "parts"), whole);
}

TEST_F(TogetherTest, AShardedOptimizerResumesWhatAnyNumberBegan) {
  const Left whole = train(1, "whole");
  for (const auto& [before, after] : {std::pair{1, 4}, {4, 2}, {2, 1}}) {
    SCOPED_TRACE(testing::Message() << before << " processes, then " << after);
    std::filesystem::remove_all(path("parts"));
    options_.shard_optimizer = before > 1;
    train(before, "parts", false, [](ToyRun& run, int) { run.recorder.stop_at = 5; });
    options_.shard_optimizer = after > 1;
    EXPECT_EQ(train(after, "parts", true).files, whole.files);
  }
}

TEST_F(TogetherTest, SaysWhatMemoryEachProcessTakes) {
  const auto memory_of = [&](int size, const std::string& name) {
    std::vector<ProcessMemory> memory;
    in_processes(size, [&](const std::shared_ptr<ThreadProcess>& process) {
      ToyRun toy;
      TrainingRun run{RunFolder(path(name)), false, 64, ToyRun::describe, {}, nullptr, {}};
      run.processes = process;
      if (process->is_first()) run.listeners = {&toy.recorder};
      Trainer(toy.objective, options_, std::move(run)).train();
      if (process->is_first()) memory = toy.recorder.start.processes;
    });
    return memory;
  };
  const std::int64_t parameters = 4 * (16 * 4 + 16 + 16);
  options_.max_steps = 1;
  const std::vector<ProcessMemory> all = memory_of(2, "all");
  options_.shard_optimizer = true;
  const std::vector<ProcessMemory> parts = memory_of(2, "parts");
  ASSERT_EQ(all.size(), 2u);
  ASSERT_EQ(parts.size(), 2u);
  for (std::size_t rank = 0; rank < 2; ++rank) {
    EXPECT_EQ(all[rank].parameters, 3 * parameters) << "values, gradients and the average";
    EXPECT_EQ(parts[rank].parameters, 3 * parameters);
    EXPECT_EQ(all[rank].optimizer, 2 * parameters);
  }
  EXPECT_EQ(parts[0].optimizer + parts[1].optimizer, 2 * parameters);
  EXPECT_GT(parts[0].optimizer, 0);
  EXPECT_GT(parts[1].optimizer, 0);
}

TEST_F(TogetherTest, RefusesProcessesThatSendInAnotherWay) {
  const auto with_other_second = [&](const std::function<void(TrainerOptions&)>& change) {
    in_processes(2, [&](const std::shared_ptr<ThreadProcess>& process) {
      ToyRun toy;
      TrainerOptions options = options_;
      if (process->rank() == 1) change(options);
      TrainingRun run{RunFolder(path("run")), false, 64, ToyRun::describe, {}, nullptr, {}};
      run.processes = process;
      Trainer(toy.objective, options, std::move(run)).train();
    });
  };
  expect_error<ConfigError>(
      [&] { with_other_second([](TrainerOptions& o) { o.wire = Wire::bf16; }); },
      {"process 1 of 2 differs from the first in its wire"});
  expect_error<ConfigError>(
      [&] { with_other_second([](TrainerOptions& o) { o.shard_optimizer = true; }); },
      {"in its shard-optimizer"});
  expect_error<ConfigError>([&] { with_other_second([](TrainerOptions& o) { o.shards = 8; }); },
                            {"in its shards"});
}

TEST_F(TogetherTest, AnyNumberResumesWhatAnyOtherBegan) {
  const Left whole = train(1, "whole");
  for (const auto& [before, after] : {std::pair{1, 4}, {4, 2}, {2, 1}}) {
    SCOPED_TRACE(testing::Message() << before << " processes, then " << after);
    std::filesystem::remove_all(path("parts"));
    train(before, "parts", false, [](ToyRun& run, int) { run.recorder.stop_at = 5; });
    Left parts = train(after, "parts", true);
    EXPECT_EQ(parts.files, whole.files);
    EXPECT_EQ(parts.steps.size(), 7u);
    for (const auto& [step, event] : parts.steps) EXPECT_EQ(event, whole.steps.at(step));
  }
}

// The second has no listener: it is told before the first step.
TEST_F(TogetherTest, OneThatIsToldToStopStopsAll) {
  const Left left =
      train(4, "run", false, [](ToyRun& run, int rank) { run.recorder.stop = rank == 1; });
  EXPECT_EQ(left.ends, (std::vector<TrainingEnd>(4, TrainingEnd::interrupted)));
  EXPECT_EQ(left.calls,
            (std::vector<std::string>{"start", "step 1", "checkpoint 1", "end interrupted"}));
  EXPECT_EQ(saved_steps("run"), (std::vector<std::int64_t>{1}));
}

TEST_F(TogetherTest, OneThatIsToldToStopInAValidationStopsAll) {
  const Left left = train(2, "run", false, [](ToyRun& run, int rank) {
    if (rank == 0) run.objective.before_validation = [&run] { run.recorder.stop = true; };
  });
  EXPECT_EQ(left.ends, (std::vector<TrainingEnd>(2, TrainingEnd::interrupted)));
  EXPECT_EQ(saved_steps("run"), (std::vector<std::int64_t>{3}));
}

TEST_F(TogetherTest, AllStopEarlyAfterTheValidationsOfTheFirst) {
  options_.patience = 2;
  options_.max_steps = 30;
  const Left left = train(2, "run", false, [](ToyRun& run, int rank) {
    if (rank == 0) run.objective.scores = {1, 3, 2, 1, 0};
  });
  EXPECT_EQ(left.ends, (std::vector<TrainingEnd>(2, TrainingEnd::stopped_early)));
  EXPECT_EQ(left.steps.size(), 12u);
}

TEST_F(TogetherTest, AllDivergeAtTheSameStep) {
  options_.optimizer.adam.clip_norm = 0;
  std::atomic<int> diverged = 0;
  EXPECT_THROW(
      in_processes(2,
                   [&](const std::shared_ptr<ThreadProcess>& process) {
                     ToyRun toy;
                     // The last of the second's four batches of the first step.
                     if (process->rank() == 1) toy.objective.nan_at_call = 4;
                     TrainingRun run{
                         RunFolder(path("run")), false, 64, ToyRun::describe, {}, nullptr, {}};
                     run.processes = process;
                     try {
                       Trainer(toy.objective, options_, std::move(run)).train();
                     } catch (const DivergedError&) {
                       ++diverged;
                       throw;
                     }
                   }),
      DivergedError);
  EXPECT_EQ(diverged, 2);
}

TEST_F(TogetherTest, RefusesProcessesThatStartWithOtherParameters) {
  expect_error<ConfigError>(
      [&] {
        train(4, "run", false, [](ToyRun& run, int rank) {
          if (rank == 2) run.objective.parameters().values().zero();
        });
      },
      {"process 2 of 4", "differs from the first in its parameters", "same program"});
}

TEST_F(TogetherTest, RefusesAProcessWithoutTheCheckpointsOfTheFirst) {
  train(1, "run", false, [](ToyRun& run, int) { run.recorder.stop_at = 5; });
  EXPECT_THROW(
      in_processes(2,
                   [&](const std::shared_ptr<ThreadProcess>& process) {
                     ToyRun toy;
                     const RunFolder folder(path(process->is_first() ? "run" : "elsewhere"));
                     TrainingRun run{folder, true, 64, ToyRun::describe, {}, nullptr, {}};
                     run.processes = process;
                     Trainer(toy.objective, options_, std::move(run)).train();
                   }),
      ConfigError);
}

TEST_F(TogetherTest, AStepHasAsManyBatchesAsItsShardsAccumulate) {
  ToyRun run;
  options_.max_steps = 2;
  run.train(path("run"), options_);
  EXPECT_EQ(run.objective.calls, 2 * 4 * 2);
  EXPECT_EQ(planned_steps(run.objective, options_), 2);
  options_.max_steps = 100;
  options_.max_epochs = 20;
  EXPECT_EQ(planned_steps(run.objective, options_), 10) << "epochs of 4 batches, steps of 8";
}

}  // namespace
}  // namespace attend
