#include <filesystem>
#include <memory>
#include <utility>

#include "attend/cli/binding/command.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/binding/thread_options.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/commands/train/training_session.h"
#include "attend/cli/standard_descriptors.h"
#include "attend/collective/launch.h"
#include "attend/interchange/any_model.h"
#include "attend/tasks/model_file/registry.h"

namespace attend {

namespace {

struct TrainArguments {
  SessionOptions session;
  std::unique_ptr<Trainable> task;
};

// A resumed run keeps its configuration unless another is given.
void read_own_configuration(OptionBinding& binding, const SessionOptions& session) {
  const std::filesystem::path file = RunFolder(session.run.out).config_file();
  if (session.resume && !session.run.out.empty() && !binding.has_config_file() &&
      std::filesystem::exists(file))
    binding.add_defaults_from(file);
}

// Starts from --init-from, unless a checkpoint of the run is there, which has come further, and the
// task needs no other model.
class InitialModel {
 public:
  InitialModel(Trainable& task, const SessionOptions& session, const OptionBinding& options)
      : task_(task), session_(session), options_(options) {}

  void take() {
    if (session_.run.init_from.empty() || std::exchange(taken_, true)) return;
    const RuntimeScope runtime = enter_runtime(session_.run.threads);
    start_task_from(task_, load_any_model(session_.run.init_from), session_.run,
                    [this](const std::string& name) { return options_.is_set(name); });
  }
  // Before anything is read of the run.
  void take_if_new() {
    if (task_.needs_initial_model() || !session_.resume ||
        RunFolder(session_.run.out).checkpoints().empty())
      take();
  }

 private:
  Trainable& task_;
  const SessionOptions& session_;
  const OptionBinding& options_;
  bool taken_ = false;
};

void learn_from_teachers(Trainable& task, const RunOptions& run, const OptionBinding& options) {
  if (run.teachers.empty()) return;
  const RuntimeScope runtime = enter_runtime(run.threads);
  Teachers teachers;
  for (const std::string& path : run.teachers)
    teachers.push_back(std::make_shared<const Checkpoint>(load_any_model(path)));
  task.learn_from(std::move(teachers),
                  [&options](const std::string& name) { return options.is_set(name); });
}

void train_task(TrainArguments& arguments, OptionBinding& binding) {
  if (!arguments.session.dry_run) binding.refuse_without("--dry-run", {"format"});
  read_own_configuration(binding, arguments.session);
  Trainable& trained = *arguments.task;
  const IsSet is_set = [&binding](const std::string& name) { return binding.is_set(name); };
  settle_preset(trained, arguments.session.run, is_set);
  arguments.session.tell_cost = !is_set("d-model") && arguments.session.run.init_from.empty();
  trained.adopt_data(is_set);
  InitialModel initial(trained, arguments.session, binding);
  initial.take_if_new();
  learn_from_teachers(trained, arguments.session.run, binding);
  run_training(arguments.session, trained.trainer(),
               resolved_configuration(arguments.session.run, trained.option_groups()),
               [&](const Checkpoint* resumed) {
                 if (resumed == nullptr) initial.take();
                 return prepare_in_folder(trained, arguments.session.run, resumed);
               });
}

void add_task(CLI::App& train, std::unique_ptr<Trainable> task) {
  CLI::App& command = add_command(train, std::string(task->name()), std::string(task->help()));
  const auto arguments = std::make_shared<TrainArguments>();
  arguments->task = std::move(task);
  OptionBinding binding(command);
  binding.add(arguments->session, "run");
  for (const OptionGroup& group : arguments->task->option_groups())
    binding.add_fields(group.fields, group.name);
  on_command(command, [binding, arguments]() mutable {
    arguments->session.processes = join(find_launch());
    if (!arguments->session.processes->is_first()) silence_standard_output();
    train_task(*arguments, binding);
  });
}

}  // namespace

void add_train_command(CLI::App& app) {
  CLI::App& train = add_command_group(app, "train", "Train a model from text");
  for (std::unique_ptr<Trainable>& task : trainable_tasks()) add_task(train, std::move(task));
}

}  // namespace attend
