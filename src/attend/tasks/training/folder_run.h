// Training in a run folder: the part common to all tasks, used by the command line and by the
// library's train(). The folder holds the model, checkpoints, the resolved configuration, log.jsonl
// and TensorBoard events.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attend/checkpoint/run_folder.h"
#include "attend/core/options/thread_options.h"
#include "attend/tasks/training/presets.h"
#include "attend/tasks/training/trainable.h"
#include "attend/tasks/training/training_task.h"
#include "attend/train/listener.h"
#include "attend/train/log/tensorboard.h"
#include "attend/train/log/training_log.h"
#include "attend/train/trainer.h"

namespace attend {

// The persistent options of a run besides those of its task: the section [run] of its
// configuration.
struct RunOptions {
  std::string out;
  Preset preset = kUsualPreset;
  std::string init_from;
  std::vector<std::string> init_vocabulary;
  std::vector<std::string> teachers;
  ThreadOptions threads;
  TrainingLogOptions log;
  TensorBoardOptions tensorboard;
};

template <class Visitor>
void fields(RunOptions& o, Visitor&& visit) {
  visit("out", o.out, "folder of the run: model, checkpoints, logs");
  visit("preset", o.preset,
        "size of the model, and steps to match: tiny (minutes), small (about an hour), base or big "
        "(as "
        "in the paper: days); other options override a preset");
  visit("init-from", o.init_from,
        "model to start from, with its vocabulary and architecture: a model file, the folder of a "
        "run, or a directory that `attend import` reads");
  visit("init-vocabulary", o.init_vocabulary,
        "vocabulary that replaces that of the --init-from model: a model file, the folder of a "
        "run, or a SentencePiece .model file");
  visit("teachers", o.teachers,
        "models to learn from, with --distill-weight: the mean of their probabilities; the new "
        "model gets their vocabulary");
  fields(o.threads, visit);
  fields(o.log, visit);
  fields(o.tensorboard, visit);
}

// The configuration of a run as TOML, with every default spelled out. `task`: the options of the
// task, by topic.
std::string resolved_configuration(RunOptions& run, const std::vector<OptionGroup>& task);

// Gives a new run the size of its preset. A model to start from has its own size; unless a preset
// is set, its training has the settings of `base`.
void settle_preset(Trainable& task, RunOptions& run, const IsSet& is_set);

// Lets a task start from the model of --init-from, with the vocabulary of --init-vocabulary. Throws
// like Trainable::start_from(), load_vocabulary() and with_vocabularies(); ConfigError for
// adapters, which belong to a model with its own vocabulary.
void start_task_from(Trainable& task, Checkpoint model, const RunOptions& run, const IsSet& is_set);

// Called before anything is read. Throws ConfigError if no folder is given, a run is active in it,
// or a new run would mix with an older one.
void require_folder_for(const RunOptions& run, bool resume);

// Prepares a task for a run in its folder. `resumed`: the checkpoint to resume from, or null; if
// given, the notes of the task end with what differs from the run so far. Throws ConfigError if
// that run started from another model.
TrainingTask prepare_in_folder(Trainable& task, const RunOptions& run, const Checkpoint* resumed);

struct FolderRun {
  RunOptions options;
  bool resume = false;
  std::string configuration;  // resolved configuration, saved once the run has started
  std::vector<TrainingListener*> listeners;      // besides those that write files of the folder
  const std::atomic<bool>* stop = nullptr;       // as in TrainingRun
  std::function<void(const std::string&)> warn;  // as in TrainingRun
  // As in TrainingRun. All but the first have no listeners.
  std::shared_ptr<Collective> processes = std::make_shared<SingleProcess>();
};

// Trains a prepared task. Throws like Trainer.
TrainingEnd train_in_folder(TrainingTask& task, const TrainerOptions& trainer,
                            const FolderRun& run);

}  // namespace attend
