#include "attend/tasks/training/folder_run.h"

#include <filesystem>
#include <utility>

#include "attend/checkpoint/run_lock.h"
#include "attend/core/files/atomic_file.h"
#include "attend/core/options/option_error.h"
#include "attend/error.h"
#include "attend/tasks/training/changed_options.h"
#include "attend/tasks/training/initial_vocabulary.h"

namespace attend {

namespace {

// Writes the configuration after the run has started, so that a configuration rejected on resuming
// leaves the old file.
class ConfigurationFile final : public TrainingListener {
 public:
  ConfigurationFile(std::filesystem::path path, std::string configuration)
      : path_(std::move(path)), configuration_(std::move(configuration)) {}
  void on_start(const TrainingStart&) override { write_file_atomically(path_, configuration_); }

 private:
  std::filesystem::path path_;
  std::string configuration_;
};

}  // namespace

std::string resolved_configuration(RunOptions& run, const std::vector<OptionGroup>& task) {
  std::string text = to_toml(option_fields(run), "run");
  for (const OptionGroup& group : task) text += "\n" + to_toml(group.fields, group.name);
  return text;
}

void settle_preset(Trainable& task, RunOptions& run, const IsSet& is_set) {
  if (!run.init_from.empty() && !is_set("preset")) run.preset = Preset::base;
  apply_preset(run.preset, task.name(), task.option_groups(), is_set);
}

void start_task_from(Trainable& task, Checkpoint model, const RunOptions& run,
                     const IsSet& is_set) {
  if (!run.init_vocabulary.empty()) {
    if (task.trainer().low_rank.rank > 0)
      throw OptionError<ConfigError>(
          "{}: expected none with adapters ({}), which need the original vocabulary",
          as_key("init-vocabulary"), as_flag("lora-rank"));
    std::vector<Tokenizer> vocabularies;
    for (const std::string& file : run.init_vocabulary)
      vocabularies.push_back(load_vocabulary(file));
    std::vector<std::string> notes;
    model = with_vocabularies(model, vocabularies, notes);
    for (std::string& note : notes) task.add_note(std::move(note));
  }
  task.start_from(std::make_shared<const Checkpoint>(std::move(model)), is_set);
}

void require_folder_for(const RunOptions& run, bool resume) {
  if (run.out.empty())
    throw OptionError<ConfigError>("{}: expected a folder for the run, got none", as_flag("out"));
  const RunFolder folder(run.out);
  folder.require_writable();
  RunLock::require_free(folder.path());
  if (!resume) folder.require_unused();
}

TrainingTask prepare_in_folder(Trainable& task, const RunOptions& run, const Checkpoint* resumed) {
  if (!run.init_vocabulary.empty() && run.init_from.empty())
    throw OptionError<ConfigError>("{}: works only with {}", as_key("init-vocabulary"),
                                   as_flag("init-from"));
  if (resumed == nullptr) return task.prepare(nullptr);
  const std::filesystem::path config = RunFolder(run.out).config_file();
  require_same_origin(config, task.name(), run.init_from);
  TrainingTask prepared = task.prepare(resumed);
  for (std::string& line : changed_options(config, task)) prepared.notes.push_back(std::move(line));
  return prepared;
}

TrainingEnd train_in_folder(TrainingTask& task, const TrainerOptions& trainer,
                            const FolderRun& run) {
  const RunFolder folder(run.options.out);
  TrainingRun in_folder = run_of(task, folder, run.resume);
  in_folder.processes = run.processes;
  in_folder.stop = run.stop;
  if (!run.processes->is_first()) return Trainer(*task.objective, trainer, in_folder).train();
  folder.create();
  ConfigurationFile config(folder.config_file(), run.configuration);
  TrainingLog log(folder.log_file(), run.options.log);
  TensorBoard tensorboard(folder.path(), run.options.tensorboard);
  in_folder.listeners = {&config, &log, &tensorboard};
  in_folder.listeners.insert(in_folder.listeners.end(), run.listeners.begin(), run.listeners.end());
  in_folder.seconds_before = [&folder](std::int64_t step) {
    return logged_seconds(folder.log_file(), step);
  };
  in_folder.warn = run.warn;
  return Trainer(*task.objective, trainer, in_folder).train();
}

}  // namespace attend
