#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "attend/checkpoint/checkpoint.h"
#include "attend/cli/binding/command.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/binding/thread_options.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/output.h"
#include "attend/cli/output_format.h"
#include "attend/cli/progress_line.h"
#include "attend/core/json/json.h"
#include "attend/core/options/options.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/interchange/foreign_model.h"
#include "attend/interchange/golden/golden_comparison.h"
#include "attend/tasks/model_file/registry.h"
#include "attend/train/readable.h"

namespace attend {
namespace {

struct ImportArguments {
  std::string directory;
  std::string out;
  std::string golden;
  LanguagePair languages;
  OutputFormat format = OutputFormat::text;
  ThreadOptions threads;
};

template <class Visitor>
void fields(ImportArguments& a, Visitor&& visit) {
  visit("out", a.out, "model file to write");
  visit("golden", a.golden,
        "record of what the original program computes, to compare with layer by layer "
        "(tools/golden_of_huggingface.py)");
  visit("src-lang", a.languages.source,
        "language of the source text; for a multilingual model, the default");
  visit("tgt-lang", a.languages.target,
        "language to translate into; for a multilingual model, the default");
  visit("format", a.format,
        "text for people, json for programs: the model, and its differences from the original");
  fields(a.threads, visit);
}

void print_text(const GoldenComparison& found) {
  answer("tokens     {} of {} texts equal\n", found.equal_ids, found.texts);
  for (const GoldenDifference& one : found.differences)
    answer("{:<24} largest difference {:.1e}\n", one.what, one.largest);
  if (!found.written.empty())
    answer("{:<10} {} of {} texts equal\n", found.written, found.equal_written, found.texts);
}

nlohmann::ordered_json json_of(const GoldenComparison& found) {
  nlohmann::ordered_json differences = nlohmann::ordered_json::object();
  for (const GoldenDifference& one : found.differences) differences[one.what] = one.largest;
  nlohmann::ordered_json json{{"texts", found.texts},
                              {"equal_tokens", found.equal_ids},
                              {"largest_differences", differences}};
  if (!found.written.empty()) json["equal_" + found.written] = found.equal_written;
  return json;
}

// Throws DataError when the model computes something else than the record says.
void require_equal(const GoldenComparison& found, const std::string& directory) {
  if (const GoldenDifference* wrong = found.first_above(kGoldenTolerance))
    throw DataError(fmt::format(
        "{}: the model differs from its original: {} by {:.1e}, more than {:.0e}; nothing was "
        "written",
        shown_path(directory), wrong->what, wrong->largest, kGoldenTolerance));
  if (found.equal_ids < found.texts)
    throw DataError(
        fmt::format("{}: the tokenizer splits {} of {} texts differently; nothing was written",
                    shown_path(directory), found.texts - found.equal_ids, found.texts));
}

void run_import(const ImportArguments& a) {
  if (a.out.empty()) throw ConfigError("--out: expected the model file to write, got none");
  const RuntimeScope runtime = enter_runtime(a.threads);
  ProgressLine progress = ProgressLine::timing("importing");
  const ImportedModel imported = import_model(std::filesystem::path(a.directory), {a.languages});
  const std::unique_ptr<const SavedModel> model = load_model(imported.checkpoint);
  std::optional<GoldenComparison> found;
  if (!a.golden.empty()) found = compare_with_golden(*model, a.golden);
  progress.end();
  for (const std::string& note : imported.remarks) remark("{}\n", note);
  const bool as_text = a.format == OutputFormat::text;
  if (found) {
    if (as_text) print_text(*found);
    require_equal(*found, a.directory);
  }
  save_checkpoint(a.out, imported.checkpoint);
  if (as_text)
    return answer("{}: a {} model, {} parameters\n", shown_path(a.out), imported.family,
                  readable_count(model->parameters().size()));
  nlohmann::ordered_json json{
      {"model", a.out}, {"family", imported.family}, {"parameters", model->parameters().size()}};
  if (found) json["comparison"] = json_of(*found);
  answer("{}\n", json_text(json));
}

}  // namespace

void add_import_command(CLI::App& app) {
  CLI::App& command = add_command(app, "import",
                                  "Convert a model of Hugging Face, Marian, CTranslate2, Argos "
                                  "Translate or llama.cpp to a model "
                                  "file");
  const auto arguments = std::make_shared<ImportArguments>();
  add_argument(
      command, arguments->directory,
      {"directory", "DIR",
       "model directory of Hugging Face, Marian or CTranslate2, a package .argosmodel, or a file "
       ".gguf"});
  OptionBinding(command).add(*arguments);
  on_command(command, [arguments] { run_import(*arguments); });
}

}  // namespace attend
