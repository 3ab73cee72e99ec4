#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "attend/cli/binding/command.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/commands/train/task_run.h"
#include "attend/cli/standard_descriptors.h"
#include "attend/collective/launch.h"
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

void run_train(TrainArguments& arguments, OptionBinding& binding) {
  if (!arguments.session.dry_run) binding.refuse_without("--dry-run", {"format"});
  read_own_configuration(binding, arguments.session);
  train_task(*arguments.task, arguments.session,
             [&binding](const std::string& name) { return binding.is_set(name); });
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
    run_train(*arguments, binding);
  });
}

}  // namespace

void add_train_command(CLI::App& app) {
  CLI::App& train = add_command_group(app, "train", "Train a model from text");
  for (std::unique_ptr<Trainable>& task : trainable_tasks()) add_task(train, std::move(task));
}

}  // namespace attend
