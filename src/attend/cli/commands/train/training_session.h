// The part of `attend train ...` common to all tasks: configuration, run folder, listeners,
// signals, dry run.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "attend/cli/output.h"
#include "attend/cli/output_format.h"
#include "attend/collective/collective.h"
#include "attend/tasks/training/folder_run.h"

namespace attend {

struct SessionOptions {
  RunOptions run;
  bool resume = false;
  bool dry_run = false;
  OutputFormat format = OutputFormat::text;
  bool print_config = false;
  // Not options: whether to say what the run will take before it starts, as where a preset chose
  // the size; the command that resumes it, unless that is attend train; and the processes that
  // mpirun started.
  bool tell_cost = false;
  std::string resume_with = {};
  std::shared_ptr<Collective> processes = std::make_shared<SingleProcess>();
};

template <class Visitor>
void fields(SessionOptions& o, Visitor&& visit) {
  fields(o.run, visit);
  visit("resume", o.resume, "continue from the newest checkpoint in --out");
  visit("dry-run", o.dry_run,
        "check everything, train a few steps, report what a run would cost, write nothing");
  visit("format", o.format, "output of --dry-run: text for people, json for programs");
  visit("print-config", o.print_config,
        "print all options with their values as TOML, for --config, and do nothing else");
}

// Reports on the work: on standard output, or on standard error if the answer is JSON.
template <class... Values>
void report(OutputFormat format, fmt::format_string<Values...> text, Values&&... values) {
  format == OutputFormat::json ? tell(text, std::forward<Values>(values)...)
                               : remark(text, std::forward<Values>(values)...);
}

// Called by run_training once the folder is checked and the runtime entered, with the checkpoint to
// resume or null.
using PrepareTraining = std::function<TrainingTask(const Checkpoint* resumed)>;

// Trains, or measures the cost of training, and reports on it. `configuration` is the resolved one,
// as TOML; it is saved in the folder, or printed alone on request. Throws Interrupted after a
// signal when the checkpoint is written.
void run_training(const SessionOptions& session, const TrainerOptions& trainer,
                  const std::string& configuration, const PrepareTraining& prepare);

// The second half of run_training: trains a prepared task in the run folder.
void train_and_report(TrainingTask& task, const SessionOptions& session,
                      const TrainerOptions& trainer, const std::string& configuration);

}  // namespace attend
