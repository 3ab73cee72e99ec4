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
#include "attend/core/options/options.h"
#include "attend/core/strings/counted.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/interchange/any_model.h"
#include "attend/interchange/peft.h"
#include "attend/interchange/writing/ctranslate2_export.h"
#include "attend/interchange/writing/gguf_export.h"
#include "attend/interchange/writing/model_export.h"
#include "attend/tasks/model_file/adapter.h"

namespace attend {
namespace {

enum class ExportFormat { huggingface, ctranslate2, gguf };
std::span<const std::string_view> enum_names(ExportFormat) {
  static constexpr std::array<std::string_view, 3> kNames{"huggingface", "ctranslate2", "gguf"};
  return kNames;
}

struct ExportArguments {
  std::string model;
  std::string out;
  std::string base;
  ExportFormat format = ExportFormat::huggingface;
  GgufWeights weights = GgufWeights::f32;
  ThreadOptions threads;
};

template <class Visitor>
void fields(ExportArguments& a, Visitor&& visit) {
  visit("out", a.out, "directory to write, new or empty; of gguf, the file");
  visit("base", a.base,
        "base model of the adapter to export: a model file, the folder of a run, or a directory "
        "that `attend import` reads");
  visit("format", a.format,
        "huggingface: a directory for transformers or PEFT; ctranslate2: a directory for "
        "CTranslate2; "
        "gguf: a file of a language model for llama.cpp");
  visit("weights", a.weights, "the weights of a file for llama.cpp");
  fields(a.threads, visit);
}

void run_export(const ExportArguments& a) {
  if (a.out.empty()) throw ConfigError("--out: expected the directory to write, got none");
  const RuntimeScope runtime = enter_runtime(a.threads);
  const Checkpoint model = load_any_model(a.model);
  if (is_adapter(model) != !a.base.empty())
    throw ConfigError(a.base.empty()
                          ? "--base: expected the model that the adapter adapts, got none"
                          : "--base: expected an adapter to export, got a model");
  ProgressLine progress = ProgressLine::timing("exporting");
  if (is_adapter(model)) {
    if (a.format != ExportFormat::huggingface)
      throw ConfigError(
          "--format: expected a model, got an adapter; attend merge joins it with its base");
    write_peft_adapter(model, load_any_model(a.base), a.base, a.out);
    progress.end();
    return answer("{}: an adapter of PEFT\n", shown_path(a.out));
  }
  if (a.format == ExportFormat::ctranslate2) {
    write_ctranslate2_directory(model, a.out);
    progress.end();
    return answer("{}: a model of CTranslate2\n", shown_path(a.out));
  }
  if (a.format == ExportFormat::gguf) {
    const GgufExport written = write_gguf_model(model, a.weights, a.out);
    progress.end();
    for (const std::string& note : written.remarks) remark("{}\n", note);
    return answer("{}: {} model of llama.cpp\n", shown_path(a.out),
                  with_article(written.architecture));
  }
  const ExportedModel exported = export_model(model);
  write_model_directory(exported, a.out);
  progress.end();
  answer("{}: {} model of Hugging Face\n", shown_path(a.out), with_article(exported.family));
}

}  // namespace

void add_export_command(CLI::App& app) {
  CLI::App& command = add_command(
      app, "export",
      "Convert a model to a directory that transformers, PEFT or CTranslate2 loads, or to a GGUF "
      "file");
  const auto arguments = std::make_shared<ExportArguments>();
  add_argument(command, arguments->model,
               {"model", "MODEL", "model file, or the folder of a run; or an adapter"});
  OptionBinding(command).add(*arguments);
  on_command(command, [arguments] { run_export(*arguments); });
}

}  // namespace attend
