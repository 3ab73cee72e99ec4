#include <filesystem>
#include <memory>
#include <utility>

#include "attend/cli/binding/command.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/commands/training_session.h"
#include "attend/tasks/registry.h"

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

void add_task(CLI::App& train, std::unique_ptr<Trainable> task) {
  CLI::App& command = add_command(train, std::string(task->name()), std::string(task->help()));
  const auto arguments = std::make_shared<TrainArguments>();
  arguments->task = std::move(task);
  OptionBinding binding(command);
  binding.add(arguments->session, "run");
  for (const OptionGroup& group : arguments->task->option_groups())
    binding.add_fields(group.fields, group.name);
  on_command(command, [binding, arguments]() mutable {
    if (!arguments->session.dry_run) binding.refuse_without("--dry-run", {"format"});
    read_own_configuration(binding, arguments->session);
    Trainable& trained = *arguments->task;
    run_training(
        arguments->session, trained.trainer(),
        resolved_configuration(arguments->session.run, trained.option_groups()),
        [&trained, folder = RunFolder(arguments->session.run.out)](const Checkpoint* resumed) {
          return prepare_in_folder(trained, folder, resumed);
        });
  });
}

}  // namespace

void add_train_command(CLI::App& app) {
  CLI::App& train = add_command_group(app, "train", "Train a model from text");
  for (std::unique_ptr<Trainable>& task : trainable_tasks()) add_task(train, std::move(task));
}

}  // namespace attend
