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
  bool print_config = false;
};

template <class Visitor>
void fields(SessionOptions& o, Visitor&& visit) {
  fields(o.run, visit);
  visit("resume", o.resume, "continue from the newest checkpoint in --out");
  visit("dry-run", o.dry_run,
        "check everything, train a few steps, report what a run would cost, write nothing");
  visit("print-config", o.print_config,
        "print all options with their values as TOML, for --config, and do nothing else");
}

// Called by run_training once the folder is checked and the runtime entered, with the checkpoint to
// resume or null.
using PrepareTraining = std::function<TrainingTask(const Checkpoint* resumed)>;

// Trains, or measures, and tells about it on standard output. `configuration` is the resolved one,
// as TOML; it is saved in the folder, and printed alone where that is asked for. Throws Interrupted
// after a signal, when the checkpoint is written.
void run_training(const SessionOptions& session, const TrainerOptions& trainer,
                  const std::string& configuration, const PrepareTraining& prepare);

// The second half of run_training: trains a prepared task in the run folder.
void train_and_report(TrainingTask& task, const SessionOptions& session,
                      const TrainerOptions& trainer, const std::string& configuration);

}  // namespace attend
