#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "attend/cli/binding/command.h"
#include "attend/cli/binding/model_path.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/binding/thread_options.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/output.h"
#include "attend/cli/progress_line.h"
#include "attend/core/files/atomic_file.h"
#include "attend/error.h"
#include "attend/tasks/model_file/model_packing.h"
#include "attend/train/readable.h"

namespace attend {
namespace {

struct OptimizeArguments {
  std::string model;
  std::string out;
  ThreadOptions threads;
};

template <class Visitor>
void fields(OptimizeArguments& a, Visitor&& visit) {
  visit("out", a.out, "model file to write");
  fields(a.threads, visit);
}

std::string readable_size(const std::string& path) {
  return readable_count(static_cast<std::int64_t>(std::filesystem::file_size(path)));
}

void run_optimize(const OptimizeArguments& a) {
  if (a.out.empty()) throw ConfigError("--out: expected the model file to write, got none");
  const RuntimeScope runtime = enter_runtime(a.threads);
  {
    const std::string path = model_path(a.model);
    const ProgressLine progress = ProgressLine::timing("arranging the weights");
    save_checkpoint(a.out, optimize_model(load_checkpoint(path)));
  }
  answer("{}: the same model, {} bytes, used where it lies in the file\n", shown_path(a.out),
         readable_size(a.out));
}

}  // namespace

void add_optimize_command(CLI::App& app) {
  CLI::App& command = add_command(
      app, "optimize",
      "Write a model with its weights in the layout that kernels read, so that it loads faster");
  const auto arguments = std::make_shared<OptimizeArguments>();
  add_argument(command, arguments->model, {"model", "MODEL", kModelHelp});
  OptionBinding(command).add(*arguments);
  on_command(command, [arguments] { run_optimize(*arguments); });
}

}  // namespace attend
