// The part of `attend train ...` that is the same for every task: configuration, run folder,
// listeners, signals, dry run.
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

// What run_training calls once the folder is settled and the runtime entered; the checkpoint to go
// on from, or null.
using PrepareTraining = std::function<TrainingTask(const Checkpoint* resumed)>;

// Trains, or measures, and tells about it on standard output. `configuration` is the resolved one,
// as TOML; it is saved in the folder, and printed alone where that is asked for. Throws Interrupted
// after a signal, when the checkpoint is written.
void run_training(const SessionOptions& session, const TrainerOptions& trainer,
                  const std::string& configuration, const PrepareTraining& prepare);

// The second half of it: trains a prepared task in the folder of the session.
void train_and_report(TrainingTask& task, const SessionOptions& session,
                      const TrainerOptions& trainer, const std::string& configuration);

}  // namespace attend
