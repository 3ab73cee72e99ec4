#include <memory>
#include <string>

#include "attend/checkpoint/checkpoint.h"
#include "attend/cli/binding/command.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/binding/thread_options.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/output.h"
#include "attend/core/options/options.h"
#include "attend/error.h"
#include "attend/interchange/any_model.h"
#include "attend/tasks/model_file/adapter.h"

namespace attend {
namespace {

struct MergeArguments {
  std::string base;
  std::string adapter;
  std::string out;
  ThreadOptions threads;
};

template <class Visitor>
void fields(MergeArguments& a, Visitor&& visit) {
  visit("out", a.out, "model file to write");
  fields(a.threads, visit);
}

void run_merge(const MergeArguments& a) {
  if (a.out.empty()) throw ConfigError("--out: expected the file to write, got none");
  const RuntimeScope runtime = enter_runtime(a.threads);
  const Checkpoint base = load_any_model(a.base);
  const Checkpoint merged = merge_adapter(base, load_any_adapter(a.adapter, base));
  save_checkpoint(a.out, merged);
  answer("{}: a model for {}\n", shown_path(a.out), merged.text("attend.task"));
}

}  // namespace

void add_merge_command(CLI::App& app) {
  CLI::App& command =
      add_command(app, "merge", "Merge a low-rank adapter (LoRA) into its base model");
  const auto arguments = std::make_shared<MergeArguments>();
  add_argument(
      command, arguments->base,
      {"base", "BASE",
       "the model that was adapted: a model file, the folder of a run, or a directory that "
       "`attend import` reads"});
  add_argument(
      command, arguments->adapter,
      {"adapter", "ADAPTER", "the adapter: a file, the folder of its run, or a directory of PEFT"});
  OptionBinding(command).add(*arguments);
  on_command(command, [arguments] { run_merge(*arguments); });
}

}  // namespace attend
