#include "attend/cli/commands/parts/trained_part.h"

#include <filesystem>

#include "attend/checkpoint/parameters.h"
#include "attend/cli/commands/train/task_run.h"
#include "attend/core/files/atomic_file.h"

namespace attend {

void train_part(RunVariant& part) {
  const std::filesystem::path finished = RunFolder(part.session.run.out).path() / "finished";
  if (std::filesystem::exists(finished)) return;
  train_task(*part.task, part.session, part.is_set);
  write_file_atomically(finished, "");
}

Checkpoint untrained_model(const TrainingTask& task) {
  Checkpoint checkpoint;
  task.model->describe(checkpoint);
  add_parameters(checkpoint, task.objective->parameters(), task.objective->parameters().values());
  return checkpoint;
}

}  // namespace attend
