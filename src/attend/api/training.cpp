#include "attend/training.h"

#include <fmt/format.h>

#include <set>

#include "attend/core/options/config_file.h"
#include "attend/core/options/nearest_name.h"
#include "attend/core/strings/quote.h"
#include "attend/core/threads/entered_runtime.h"
#include "attend/error.h"
#include "attend/tasks/model_file/registry.h"
#include "attend/tasks/training/folder_run.h"

namespace attend {

namespace {

StepReport report_of(const StepEvent& event) {
  return {.step = event.step,
          .epoch = event.epoch,
          .loss = event.loss,
          .nll = event.nll,
          .learning_rate = event.learning_rate,
          .gradient_norm = event.gradient_norm,
          .tokens = event.tokens,
          .tokens_per_second = event.tokens_per_second,
          .seconds = event.seconds,
          .source_tokens = event.source_tokens};
}

// Passes events to the callbacks of a job and remembers the best validation.
class JobListener final : public TrainingListener {
 public:
  JobListener(const TrainingJob& job, TrainingResult& result) : job_(job), result_(result) {}
  void on_start(const TrainingStart& start) override { result_.steps = start.resumed_step; }
  void on_step(const StepEvent& event) override {
    result_.steps = event.step;
    if (job_.on_step) job_.on_step(report_of(event));
  }
  void on_validation(const ValidationEvent& event) override {
    if (event.best) result_.best = event;
    if (job_.on_validation) job_.on_validation(event);
  }

 private:
  const TrainingJob& job_;
  TrainingResult& result_;
};

void set_by_name(const TrainingOption& option, std::span<const OptionField> fields) {
  if (kebab_case(option.name) == "out")
    throw ConfigError("option out: the folder of a run is TrainingJob::folder");
  const OptionField* field = find_option(fields, option.name);
  if (field == nullptr)
    throw ConfigError(fmt::format("unknown option {}{}", quote(option.name),
                                  did_you_mean(option.name, option_names(fields))));
  set_option(*field, option.values, field->name);
}

// Applies the options of a run and its task: first the job's file (or the run's own when resuming),
// then its list. Returns the names of those that are set.
std::set<std::string> apply_options(const TrainingJob& job, std::span<const OptionField> fields) {
  std::filesystem::path file = job.config;
  const std::filesystem::path own = RunFolder(job.folder).config_file();
  if (file.empty() && job.resume && std::filesystem::exists(own)) file = own;
  std::set<std::string> names;
  if (!file.empty())
    for (const std::string& name : apply_config_file(file, fields)) names.insert(name);
  for (const TrainingOption& option : job.options) {
    set_by_name(option, fields);
    names.insert(kebab_case(option.name));
  }
  return names;
}

std::optional<RunFolder::Latest> checkpoint_to_resume(const TrainingJob& job) {
  if (!job.resume) return std::nullopt;
  std::vector<std::string> skipped;  // reported by the trainer
  return RunFolder(job.folder).latest(skipped);
}

// The job's runtime, or one with the number of threads in the options; null: the default one.
std::shared_ptr<Runtime> runtime_for(const TrainingJob& job, const ThreadOptions& options) {
  if (job.runtime || options.threads == 0) return job.runtime;
  return make_runtime(options);
}

std::unique_ptr<Trainable> task_named(const std::string& name) {
  std::vector<std::string> names;
  for (std::unique_ptr<Trainable>& task : trainable_tasks()) {
    if (task->name() == name) return std::move(task);
    names.emplace_back(task->name());
  }
  throw ConfigError(fmt::format("TrainingJob::task: expected one of {}, got {}",
                                fmt::join(names, ", "), quote(name)));
}

}  // namespace

TrainingResult train(const TrainingJob& job) {
  const std::unique_ptr<Trainable> task = task_named(job.task);
  RunOptions run;
  std::vector<OptionField> fields = option_fields(run);
  for (const OptionGroup& group : task->option_groups())
    fields.insert(fields.end(), group.fields.begin(), group.fields.end());
  const std::set<std::string> set = apply_options(job, fields);
  const IsSet is_set = [&set](const std::string& name) { return set.contains(name); };
  settle_preset(*task, run, is_set);
  run.out = job.folder.string();
  require_folder_for(run, job.resume);

  const EnteredRuntime entered(runtime_for(job, run.threads));
  auto latest = checkpoint_to_resume(job);
  const bool needs_model = !latest || task->needs_initial_model();
  task->adopt_data(is_set);
  // Directories of other programs are imported before (`attend import`).
  if (needs_model && !run.init_from.empty())
    start_task_from(*task, load_checkpoint(run.init_from), run, is_set);
  if (!run.teachers.empty()) {
    Teachers teachers;
    for (const std::string& path : run.teachers)
      teachers.push_back(std::make_shared<const Checkpoint>(load_checkpoint(path)));
    task->learn_from(std::move(teachers), is_set);
  }
  TrainingTask prepared = prepare_in_folder(*task, run, latest ? &latest->checkpoint : nullptr);
  latest.reset();  // The run reads its parameters and its optimizer's state by itself.
  const auto note = [&job](const std::string& line) {
    if (job.on_note) job.on_note(line);
  };
  for (const std::string& line : prepared.notes) note(line);

  TrainingResult result;
  result.model = RunFolder(job.folder).model_file();
  JobListener listener(job, result);
  result.end = train_in_folder(
      prepared, task->trainer(),
      {.options = run,
       .resume = job.resume,
       .configuration = resolved_configuration(run, task->option_groups()),
       .listeners = {&listener},
       .stop = job.stop,
       .warn = [&note](const std::string& message) { note("passed over: " + message); }});
  return result;
}

}  // namespace attend
