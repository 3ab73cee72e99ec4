#include <memory>
#include <string>
#include <utility>

#include "attend/cli/binding/command.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/commands/train/set_options_file.h"
#include "attend/cli/commands/tune/search.h"
#include "attend/collective/launch.h"
#include "attend/error.h"
#include "attend/tasks/model_file/registry.h"

namespace attend {
namespace {

struct TuneArguments {
  SearchOptions search;
  SessionOptions session;
  std::unique_ptr<Trainable> task;
};

void run_tune(TuneArguments& a, OptionBinding& binding) {
  SessionOptions& session = a.session;
  if (find_launch())
    throw ConfigError(
        "attend tune: expected one process, got those of mpirun; start attend tune several times "
        "in one folder instead");
  binding.refuse_beside("attend tune", {"dry-run", "format", "print-config"});
  if (session.run.out.empty())
    throw ConfigError("--out: expected a folder for the trials, got none");
  const SetOptionsFile record(session.run.out, "tune.toml");
  if (record.exists()) {
    if (!session.resume)
      throw ConfigError(session.run.out +
                        ": holds a search; join or resume it (--resume), or "
                        "choose another folder");
    record.read(binding);
  }
  const IsSet is_set = [&binding](const std::string& name) { return binding.is_set(name); };
  settle_preset(*a.task, session.run, is_set);
  Search search(*a.task, session, is_set, a.search);
  record.write(binding);
  search.run();
}

void add_tuning(CLI::App& tune, std::unique_ptr<Trainable> task) {
  CLI::App& command = add_command(tune, std::string(task->name()),
                                  "Search for settings: " + std::string(task->help()));
  const auto arguments = std::make_shared<TuneArguments>();
  arguments->task = std::move(task);
  OptionBinding binding(command);
  binding.add(arguments->search, "search");
  binding.add(arguments->session, "run");
  for (const OptionGroup& group : arguments->task->option_groups())
    binding.add_fields(group.fields, group.name);
  on_command(command, [binding, arguments]() mutable { run_tune(*arguments, binding); });
}

}  // namespace

void add_tune_command(CLI::App& app) {
  CLI::App& tune = add_command_group(
      app, "tune",
      "Search for the settings of a training: try many for a few steps, go on with the best");
  for (std::unique_ptr<Trainable>& task : trainable_tasks()) add_tuning(tune, std::move(task));
}

}  // namespace attend
