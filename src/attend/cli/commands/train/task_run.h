// A training of a task whose options are set: what `attend train` does after it has parsed them.
#pragma once

#include "attend/cli/commands/train/training_session.h"
#include "attend/tasks/training/trainable.h"

namespace attend {

// Settles the defaults that are left, loads the models that the options name, and trains in the
// run's folder, or does what the session asks for instead. Throws like run_training().
void train_task(Trainable& task, SessionOptions& session, const IsSet& is_set);

// The models of --teachers. Throws like load_any_model().
Teachers load_teachers(const RunOptions& run);

// The same up to the first step, without a folder: for a new run, or after `resumed`.
TrainingTask prepare_task(Trainable& task, SessionOptions& session, const IsSet& is_set,
                          const Checkpoint* resumed);
// For a new run, with these teachers instead of those of the options.
TrainingTask prepare_task(Trainable& task, SessionOptions& session, const IsSet& is_set,
                          Teachers teachers);

}  // namespace attend
