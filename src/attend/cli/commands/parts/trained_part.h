// A training that is a part of a command with several.
#pragma once

#include "attend/checkpoint/checkpoint.h"
#include "attend/cli/commands/train/run_variant.h"
#include "attend/tasks/training/training_task.h"

namespace attend {

// Untrained models stand for those that a command will train, to measure what these take.
enum class TeacherState { trained, untrained };

// Trains it in its folder, or goes on there, unless it has ended. Throws like train_task().
void train_part(RunVariant& part);

// A model with the parameters that its training begins with.
Checkpoint untrained_model(const TrainingTask& task);

}  // namespace attend
