#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "attend/checkpoint/checkpoint.h"
#include "attend/checkpoint/quantization.h"
#include "attend/cli/binding/command.h"
#include "attend/cli/binding/model_path.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/binding/thread_options.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/output.h"
#include "attend/cli/output_format.h"
#include "attend/cli/progress_line.h"
#include "attend/core/json/json.h"
#include "attend/core/options/options.h"
#include "attend/core/strings/counted.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/interchange/foreign_model.h"
#include "attend/interchange/golden/golden_comparison.h"
#include "attend/interchange/hub_cache.h"
#include "attend/tasks/model_file/registry.h"
#include "attend/train/readable.h"

namespace attend {
namespace {

struct ImportArguments {
  std::string directory;
  std::string out;
  std::string golden;
  LanguagePair languages;
  bool dequantize = false;
  OutputFormat format = OutputFormat::text;
  ThreadOptions threads;
};

template <class Visitor>
void fields(ImportArguments& a, Visitor&& visit) {
  visit("out", a.out, "model file to write; by default, one in the cache that all commands share");
  visit("golden", a.golden,
        "record of what the original program computes, to compare with layer by layer "
        "(tools/golden_of_huggingface.py)");
  visit("src-lang", a.languages.source,
        "language of the source text; for a multilingual model, the default");
  visit("tgt-lang", a.languages.target,
        "language to translate into; for a multilingual model, the default");
  visit("dequantize", a.dequantize,
        "keep quantized weights of a GGUF file in 32 bits, for training and exports, instead of 8");
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

void print_model(const ImportArguments& a, const std::string& path, const std::string& family,
                 const Checkpoint& model, const std::optional<GoldenComparison>& found) {
  const std::int64_t parameters = load_model(model)->parameters().size();
  const int bits = weight_bits(model);
  if (a.format == OutputFormat::text)
    return answer("{}: {} model, {} parameters{}\n", shown_path(path), with_article(family),
                  readable_count(parameters), bits < 32 ? fmt::format(" in {} bits", bits) : "");
  nlohmann::ordered_json json{{"model", path}, {"family", family}, {"parameters", parameters}};
  if (bits < 32) json["bits"] = bits;
  if (found) json["comparison"] = json_of(*found);
  answer("{}\n", json_text(json));
}

// Where every command that is given the same directory finds it.
void import_into_cache(const ImportArguments& a) {
  const std::string path = model_path(a.directory);
  if (path == a.directory && !std::filesystem::exists(path))
    throw IoError(fmt::format("{}: no such file or folder", shown_path(path)));
  if (path == a.directory)
    throw DataError(fmt::format("{}: expected a model of another program, got one of attend",
                                shown_path(a.directory)));
  const Checkpoint checkpoint = load_checkpoint(path);
  const auto family = checkpoint.metadata.find(kFamilyKey);
  print_model(a, path, family == checkpoint.metadata.end() ? "merged" : family->second, checkpoint,
              {});
}

void run_import(const ImportArguments& a, const OptionBinding& binding) {
  if (a.out.empty())
    binding.refuse_without("--out", {"golden", "src-lang", "tgt-lang", "dequantize"});
  const RuntimeScope runtime = enter_runtime(a.threads);
  if (a.out.empty()) return import_into_cache(a);
  ProgressLine progress = ProgressLine::timing("importing");
  const ImportedModel imported = import_model(local_path(a.directory), {a.languages, a.dequantize});
  std::optional<GoldenComparison> found;
  if (!a.golden.empty()) found = compare_with_golden(*load_model(imported.checkpoint), a.golden);
  progress.end();
  for (const std::string& note : imported.remarks) remark("{}\n", note);
  if (found) {
    if (a.format == OutputFormat::text) print_text(*found);
    require_equal(*found, a.directory);
  }
  save_checkpoint(a.out, imported.checkpoint);
  print_model(a, a.out, imported.family, imported.checkpoint, found);
}

}  // namespace

void add_import_command(CLI::App& app) {
  CLI::App& command = add_command(app, "import",
                                  "Convert a model of Hugging Face, Marian, Firefox, CTranslate2, "
                                  "Argos Translate, fairseq, OpenNMT-py, eole or llama.cpp to a "
                                  "model file");
  const auto arguments = std::make_shared<ImportArguments>();
  add_argument(
      command, arguments->directory,
      {"directory", "DIR",
       "model directory of Hugging Face, Marian, CTranslate2 or eole, a package .argosmodel, a "
       "file "
       ".gguf, a checkpoint .pt of fairseq or OpenNMT-py or its directory, or ORG/NAME of a model "
       "that was downloaded from the Hugging Face Hub"});
  const auto binding = std::make_shared<OptionBinding>(command);
  binding->add(*arguments);
  on_command(command, [arguments, binding] { run_import(*arguments, *binding); });
}

}  // namespace attend
