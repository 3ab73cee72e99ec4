// A model as it stands in a file.
#pragma once

#include "attend/checkpoint/parameters.h"
#include "attend/tasks/model_file/golden.h"
#include "attend/tasks/model_file/saved_model.h"

namespace attend {

inline Checkpoint checkpoint_of(const SavedModel& model) {
  Checkpoint checkpoint;
  add_parameters(checkpoint, model.parameters(), model.parameters().values());
  model.describe(checkpoint);
  return checkpoint;
}

inline Checkpoint finished_checkpoint_of(const SavedModel& model) {
  Checkpoint checkpoint = checkpoint_of(model);
  add_golden_samples(checkpoint, model);
  return checkpoint;
}

}  // namespace attend
