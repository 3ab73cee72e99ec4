#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "attend/cli/binding/command.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/commands/distill/distillation_run.h"
#include "attend/cli/commands/parts/part_cost.h"
#include "attend/cli/commands/train/set_options_file.h"
#include "attend/cli/output.h"
#include "attend/collective/launch.h"
#include "attend/error.h"
#include "attend/tasks/model_file/registry.h"

namespace attend {
namespace {

std::vector<OptionField> distill_fields(DistillArguments& a) {
  std::vector<OptionField> fields = a.lesson->fields();
  for (const std::vector<OptionField>& more : {option_fields(a.runs), option_fields(a.file)})
    fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

void run_distill(DistillArguments& a, const std::vector<std::string>& teachers,
                 OptionBinding& binding) {
  SessionOptions& session = a.session;
  if (find_launch())
    throw ConfigError(
        "attend distill: expected one process; teachers and student can be trained "
        "by mpirun attend train, one after another");
  if (!session.dry_run) binding.refuse_without("--dry-run", {"format"});
  const SetOptionsFile record(session.run.out, "distill.toml");
  if (session.resume && !session.run.out.empty()) record.read(binding);
  if (!teachers.empty()) session.run.teachers = teachers;
  const IsSet is_set = [&binding](const std::string& name) { return binding.is_set(name); };
  if (session.print_config) {
    std::vector<OptionGroup> groups = a.task->option_groups();
    settle_preset(*a.task, session.run, is_set);
    groups.insert(groups.begin(), {"distill", distill_fields(a)});
    return answer("{}", resolved_configuration(session.run, groups));
  }
  DistillationRun run(a, is_set);
  if (session.dry_run) return tell_costs(run.cost(), session.format);
  require_folder_for(session.run, session.resume);
  record.write(binding);
  run.run();
}

// Adds the options of a lesson, and of its training, to its command.
void add_distillation(CLI::App& command, std::unique_ptr<Lesson> lesson) {
  const auto arguments = std::make_shared<DistillArguments>();
  const auto teachers = std::make_shared<std::vector<std::string>>();
  arguments->task = trainable_task(lesson->task());
  arguments->lesson = std::move(lesson);
  const bool takes_several = arguments->lesson->most_teachers() > 1;
  add_argument(command, *teachers,
               {"teachers", "TEACHER",
                takes_several
                    ? "models to learn from: model files, folders of runs, or what `attend import` "
                      "reads; several teach as an ensemble"
                    : "model to learn from: a model file, the folder of a run, or what `attend "
                      "import` reads",
                false});
  OptionBinding binding(command);
  binding.add_fields(distill_fields(*arguments), "distill");
  binding.add(arguments->session, "run");
  for (const OptionGroup& group : arguments->task->option_groups())
    binding.add_fields(group.fields, group.name);
  on_command(command, [binding, arguments, teachers]() mutable {
    run_distill(*arguments, *teachers, binding);
  });
}

}  // namespace

void add_distill_command(CLI::App& app) {
  CLI::App& command = add_command(
      app, "distill",
      "Train a small or better model from what others answer: a translator, or a model of the kind "
      "that follows");
  for (std::unique_ptr<Lesson>& lesson : lessons()) {
    const std::string name = lesson->name(), help = lesson->help();
    // The command itself is the first.
    add_distillation(name.empty() ? command : add_inner_command(command, name, help),
                     std::move(lesson));
  }
}

}  // namespace attend
