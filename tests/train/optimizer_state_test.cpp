#include "attend/train/optimizer_state.h"

#include <gtest/gtest.h>

#include "attend/optim/optimizer_choice.h"
#include "checkpoint/test_folder.h"
#include "collective/thread_processes.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

// An optimizer of a shard of 1000 numbers, whose state is that of one optimizer at these places.
struct Worker {
  Worker(const Shard& shard, float begin) {
    parameters.add("a", {1000}, {});
    parameters.allocate(1);
    optimizer = make_optimizer(parameters, {}, Precision::f32, shard);
    const std::int64_t first = optimizer->updated().empty() ? 0 : optimizer->updated()[0].begin;
    for (const auto& [name, values] : optimizer->state())
      for (std::int64_t i = 0; i < values.size(); ++i)
        values.data()[i] =
            begin + static_cast<float>(first + i) + (name == "adam.mean" ? 0.0f : 0.5f);
  }
  std::vector<std::vector<float>> numbers() const {
    std::vector<std::vector<float>> all;
    for (const auto& [name, values] : optimizer->state()) all.push_back(values.to_vector());
    return all;
  }
  ParameterSet parameters;
  std::unique_ptr<Optimizer> optimizer;
};

using OptimizerStateTest = FolderTest;

TEST_F(OptimizerStateTest, IsWholeInAFileAndInPartsInProcesses) {
  const Worker whole({}, 10);
  const OptimizerState state(*whole.optimizer, nullptr);
  EXPECT_EQ(state.bytes(), std::vector<std::int64_t>{8000});
  Checkpoint expected;
  state.add_to(expected, "state.");
  save_checkpoint(path("whole"), expected);

  in_processes(4, [&](const auto& process) {
    const Worker worker({process->rank(), 4}, 10);
    const OptimizerState part(*worker.optimizer, process.get());
    EXPECT_EQ(part.bytes(), (std::vector<std::int64_t>{2048, 2048, 2048, 1856}));
    if (!process->is_first()) return part.answer();
    Checkpoint checkpoint;
    part.add_to(checkpoint, "state.");
    save_checkpoint(path("parts"), checkpoint);
    part.release();
  });
  EXPECT_TRUE(read(path("parts")) == read(path("whole")));

  const Checkpoint saved = load_checkpoint(path("whole"));
  in_processes(2, [&](const auto& process) {
    const Worker other({process->rank(), 2}, -500), wanted({process->rank(), 2}, 10);
    OptimizerState(*other.optimizer, process.get()).restore(StateReader(saved, "state."));
    EXPECT_EQ(other.numbers(), wanted.numbers());
  });
}

TEST_F(OptimizerStateTest, RefusesAStateOfAnotherSize) {
  Checkpoint saved{{{"adam.mean", Tensor::zeros({999})}}, {}, "run/step-1"};
  in_processes(2, [&](const auto& process) {
    const Worker worker({process->rank(), 2}, 0);
    const OptimizerState part(*worker.optimizer, process.get());
    expect_error<DataError>([&] { part.restore(StateReader(saved)); },
                            {"run/step-1", "adam.mean", "expected F32 [1000]", "[999]"});
  });
}

}  // namespace
}  // namespace attend
