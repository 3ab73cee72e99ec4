#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "attend/checkpoint/checkpoint.h"
#include "attend/cli/binding/command.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/binding/thread_options.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/output.h"
#include "attend/cli/progress_line.h"
#include "attend/core/options.h"
#include "attend/core/quote.h"
#include "attend/error.h"
#include "attend/interchange/model_export.h"

namespace attend {
namespace {

enum class ExportFormat { huggingface };
std::span<const std::string_view> enum_names(ExportFormat) {
  static constexpr std::array<std::string_view, 1> kNames{"huggingface"};
  return kNames;
}

struct ExportArguments {
  std::string model;
  std::string out;
  ExportFormat format = ExportFormat::huggingface;
  ThreadOptions threads;
};

template <class Visitor>
void fields(ExportArguments& a, Visitor&& visit) {
  visit("out", a.out, "directory to write, new or empty");
  visit("format", a.format,
        "the files to write: huggingface (a directory that transformers loads)");
  fields(a.threads, visit);
}

void run_export(const ExportArguments& a) {
  if (a.out.empty()) throw ConfigError("--out: expected the directory to write, got none");
  const RuntimeScope runtime = enter_runtime(a.threads);
  ProgressLine progress = ProgressLine::timing("exporting");
  const ExportedModel exported = export_model(load_checkpoint(a.model));
  write_model_directory(exported, a.out);
  progress.end();
  answer("{}: a {} model of Hugging Face\n", shown_path(a.out), exported.family);
}

}  // namespace

void add_export_command(CLI::App& app) {
  CLI::App& command = add_command(app, "export", "A model of attend as a model of another program");
  const auto arguments = std::make_shared<ExportArguments>();
  add_argument(command, arguments->model, {"model", "MODEL", "model file, or the folder of a run"});
  OptionBinding(command).add(*arguments);
  on_command(command, [arguments] { run_export(*arguments); });
}

}  // namespace attend
