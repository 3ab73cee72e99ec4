// The part of `attend train ...` common to all tasks: configuration, run folder, listeners,
// signals, dry run.
#pragma once

#include <functional>
#include <string>

#include "attend/tasks/folder_run.h"

namespace attend {

struct SessionOptions {
  RunOptions run;
  bool resume = false;
  bool dry_run = false;
};

template <class Visitor>
void fields(SessionOptions& o, Visitor&& visit) {
  fields(o.run, visit);
  visit("resume", o.resume, "continue from the newest checkpoint in --out");
  visit("dry-run", o.dry_run, "train a few steps, report what a run would cost, write nothing");
}

// Called by run_training once the folder is checked and the runtime entered, with the checkpoint to
// resume or null.
using PrepareTraining = std::function<TrainingTask(const Checkpoint* resumed)>;

// Trains or measures, and reports on standard output. `configuration` is the resolved one, as TOML;
// it is printed and saved. Throws Interrupted after a signal, once the checkpoint is written.
void run_training(const SessionOptions& session, const TrainerOptions& trainer,
                  const std::string& configuration, const PrepareTraining& prepare);

// The second half of run_training: trains a prepared task in the run folder.
void train_and_report(TrainingTask& task, const SessionOptions& session,
                      const TrainerOptions& trainer, const std::string& configuration);

}  // namespace attend
