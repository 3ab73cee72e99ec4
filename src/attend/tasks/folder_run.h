// Training in a folder: the part of a run that is the same for every task and for whoever starts
// it, the command line or the library's train(). The folder holds the model, checkpoints, the
// resolved configuration, log.jsonl and TensorBoard's events.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "attend/checkpoint/run_folder.h"
#include "attend/core/thread_options.h"
#include "attend/tasks/training_task.h"
#include "attend/train/listener.h"
#include "attend/train/tensorboard.h"
#include "attend/train/trainer.h"
#include "attend/train/training_log.h"

namespace attend {

// What lasts of a run besides the options of its task: the section [run] of its configuration.
struct RunOptions {
  std::string out;
  ThreadOptions threads;
  TrainingLogOptions log;
  TensorBoardOptions tensorboard;
};

template <class Visitor>
void fields(RunOptions& o, Visitor&& visit) {
  visit("out", o.out, "folder of the run: model, checkpoints, logs");
  fields(o.threads, visit);
  fields(o.log, visit);
  fields(o.tensorboard, visit);
}

// The configuration of a run with every default spelled out, as TOML. `task`: what a task lets one
// choose, by subject.
std::string resolved_configuration(RunOptions& run, const std::vector<OptionGroup>& task);

// Before anything is read. Throws ConfigError when no folder is named, a run is going on in it, or
// a new run would mix with an older one.
void require_folder_for(const RunOptions& run, bool resume);

struct FolderRun {
  RunOptions options;
  bool resume = false;
  std::string configuration;                     // the resolved one, saved once the run has begun
  std::vector<TrainingListener*> listeners;      // besides those that write the folder's files
  const std::atomic<bool>* stop = nullptr;       // as in TrainingRun
  std::function<void(const std::string&)> warn;  // as in TrainingRun
};

// Trains a prepared task. Throws as Trainer does.
TrainingEnd train_in_folder(TrainingTask& task, const TrainerOptions& trainer,
                            const FolderRun& run);

}  // namespace attend
