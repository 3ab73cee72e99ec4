// A prepared task for a Trainer: the result of each task's prepare_training().
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "attend/checkpoint/checkpoint.h"
#include "attend/tasks/model_file/saved_model.h"
#include "attend/train/objective.h"
#include "attend/train/trainer.h"

namespace attend {

inline constexpr std::string_view kRDropHelp =
    "weight of R-Drop, the divergence between two passes with different dropout (Liang et al. "
    "2021), at twice the cost per step; 0: off";

struct TrainingTask {
  std::string name;  // Trainable::name()
  std::unique_ptr<Objective> objective;
  int d_model = 0;
  std::shared_ptr<const SavedModel> model;  // with the network that the objective trains
  std::vector<std::string> notes;           // what was read and created, one line each, to print
  // Writes what a checkpoint holds besides the trained parameters; by default, what `model` does,
  // and golden samples.
  std::function<void(Checkpoint&)> describe = {};
};

// The run of a task in a folder, without listeners. `task` must outlive it.
TrainingRun run_of(const TrainingTask& task, RunFolder folder, bool resume);

// The paths of `files` in `folder`.
std::vector<std::string> in_folder(const std::string& folder, std::vector<std::string> files);

// Throws ConfigError if the options of `resumed` differ from those requested `now`, both as JSON
// objects, and lists each difference: the shape of a model cannot change after its first
// checkpoint.
void require_same_model(const Checkpoint& resumed, const std::string& before,
                        const std::string& now);

}  // namespace attend
