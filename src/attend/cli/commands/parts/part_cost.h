// What the parts of a long command take, measured by a few steps of each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "attend/cli/output_format.h"
#include "attend/tasks/training/training_task.h"
#include "attend/train/trainer.h"

namespace attend {

struct PartCost {
  std::string name;
  double seconds = 0;
  std::int64_t memory_bytes = 0;  // of the process, at most
  std::int64_t disk_bytes = 0;    // of models and checkpoints, at most
};

// The cost of each part, in order, as if none was there yet.
using PartCosts = std::vector<PartCost>;

// Trains a few steps, from which the task does not recover.
PartCost training_cost(std::string name, TrainingTask& task, const TrainerOptions& options);

// Prints all of them, and their sum.
void tell_costs(const PartCosts& costs, OutputFormat format);

}  // namespace attend
