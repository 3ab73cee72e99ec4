#include <fmt/format.h>

#include <memory>
#include <string>

#include "attend/checkpoint/checkpoint.h"
#include "attend/cli/binding/command.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/binding/thread_options.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/output.h"
#include "attend/core/options.h"
#include "attend/core/quote.h"
#include "attend/error.h"
#include "attend/interchange/foreign_model.h"
#include "attend/interchange/golden_comparison.h"
#include "attend/tasks/registry.h"
#include "attend/train/readable.h"

namespace attend {
namespace {

struct ImportArguments {
  std::string directory;
  std::string out;
  std::string golden;
  LanguagePair languages;
  ThreadOptions threads;
};

template <class Visitor>
void fields(ImportArguments& a, Visitor&& visit) {
  visit("out", a.out, "model file to write");
  visit("golden", a.golden,
        "record of what the original program computes, to compare with layer by layer "
        "(tools/golden_of_huggingface.py)");
  visit("src-lang", a.languages.source,
        "language of the source text unless another is asked for, for a model of several "
        "languages");
  visit("tgt-lang", a.languages.target,
        "language to translate into unless another is asked for, for a model of several "
        "languages");
  fields(a.threads, visit);
}

// Throws DataError when the model computes something else than the record says.
void prove(const Checkpoint& checkpoint, const ImportArguments& a) {
  const GoldenComparison found = compare_with_golden(*load_model(checkpoint), a.golden);
  answer("tokens     {} of {} texts equal\n", found.equal_ids, found.texts);
  for (const GoldenDifference& one : found.differences)
    answer("{:<24} largest difference {:.1e}\n", one.what, one.largest);
  if (!found.written.empty())
    answer("{:<10} {} of {} texts equal\n", found.written, found.equal_written, found.texts);
  if (const GoldenDifference* wrong = found.first_above(kGoldenTolerance))
    throw DataError(fmt::format(
        "{}: the model differs from its original: {} by {:.1e}, more than {:.0e}; nothing was "
        "written",
        shown_path(a.directory), wrong->what, wrong->largest, kGoldenTolerance));
  if (found.equal_ids < found.texts)
    throw DataError(
        fmt::format("{}: the tokenizer cuts {} of {} texts differently; nothing was "
                    "written",
                    shown_path(a.directory), found.texts - found.equal_ids, found.texts));
}

void run_import(const ImportArguments& a) {
  if (a.out.empty()) throw ConfigError("--out: expected the model file to write, got none");
  const RuntimeScope runtime = enter_runtime(a.threads);
  const ImportedModel imported = import_model(ModelDirectory(a.directory), {a.languages});
  for (const std::string& note : imported.remarks) remark("{}\n", note);
  if (!a.golden.empty()) prove(imported.checkpoint, a);
  save_checkpoint(a.out, imported.checkpoint);
  answer("{}: a {} model, {} parameters\n", shown_path(a.out), imported.family,
         readable_count(load_model(imported.checkpoint)->parameters().size()));
}

}  // namespace

void add_import_command(CLI::App& app) {
  CLI::App& command =
      add_command(app, "import", "Convert a model of another program to a model of attend");
  const auto arguments = std::make_shared<ImportArguments>();
  add_argument(command, arguments->directory,
               {"directory", "DIR", "model directory of Hugging Face or Marian"});
  OptionBinding(command).add(*arguments);
  on_command(command, [arguments] { run_import(*arguments); });
}

}  // namespace attend
