#include "attend/cli/commands/parts/trained_part.h"

#include <filesystem>
#include <string>

#include "attend/checkpoint/parameters.h"
#include "attend/cli/commands/train/task_run.h"
#include "attend/core/files/atomic_file.h"
#include "attend/tasks/training/changed_options.h"

namespace attend {

namespace {

// Options that differ from those of a training that has ended come too late for it.
void tell_changes(RunVariant& part) {
  const RunOptions& run = part.session.run;
  if (!run.init_from.empty()) return;  // settles some of them
  settle_preset(*part.task, part.session.run, part.is_set);
  part.task->adopt_data(part.is_set);
  for (const std::string& line : changed_options(RunFolder(run.out).config_file(), *part.task))
    remark("{} stays as it was trained: {}\n", shown_path(run.out), line);
}

}  // namespace

void train_part(RunVariant& part) {
  const std::filesystem::path finished = RunFolder(part.session.run.out).path() / "finished";
  if (std::filesystem::exists(finished)) return tell_changes(part);
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
