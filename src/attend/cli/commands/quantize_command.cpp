#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>

#include "attend/cli/binding/command.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/binding/thread_options.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/output.h"
#include "attend/core/atomic_file.h"
#include "attend/core/options.h"
#include "attend/data/corpus.h"
#include "attend/error.h"
#include "attend/tasks/model_quantization.h"
#include "attend/train/readable.h"

namespace attend {
namespace {

struct QuantizeArguments {
  std::string model;
  std::string out;
  std::string src;
  std::string tgt;
  double max_bleu_drop = 0.2;
  BleuOptions bleu;
  ThreadOptions threads;
};

template <class Visitor>
void fields(QuantizeArguments& a, Visitor&& visit) {
  visit("out", a.out, "model file to write");
  visit("src", a.src, "source text to translate with both models, to compare speed and quality");
  visit("tgt", a.tgt, "reference translation of --src, line by line");
  visit("max-bleu-drop", a.max_bleu_drop, between(-1000, 1000),
        "fail and write nothing when BLEU on --src drops by more than this");
  visit("tokenize", a.bleu.tokenization,
        "tokenization of BLEU: 13a, none (the text is tokenized already), intl or char");
  fields(a.threads, visit);
}

void check(const QuantizeArguments& a) {
  if (a.out.empty()) throw ConfigError("--out: expected the model file to write, got none");
  if (a.src.empty() != a.tgt.empty())
    throw ConfigError("--src and --tgt: expected both or neither, got one");
  if (std::isnan(a.max_bleu_drop)) throw ConfigError("--max-bleu-drop: expected a number, got nan");
}

// Throws DataError if too much quality is lost.
void compare(const Checkpoint& model, const Checkpoint& quantized, const QuantizeArguments& a) {
  const ParallelText text = read_parallel(std::vector{a.src}, std::vector{a.tgt});
  const TranslationMeasure before = measure_translation(model, text.src, text.tgt, a.bleu);
  const TranslationMeasure after = measure_translation(quantized, text.src, text.tgt, a.bleu);
  const auto count = static_cast<double>(text.src.size());
  answer("BLEU   {:>12.2f}  ->  {:>12.2f}   ({:+.2f})\n", before.bleu, after.bleu,
         after.bleu - before.bleu);
  answer("speed  {:>12.1f}  ->  {:>12.1f}   sentences/s ({:.2f} times)\n", count / before.seconds,
         count / after.seconds, before.seconds / after.seconds);
  if (!(before.bleu - after.bleu <= a.max_bleu_drop))
    throw DataError(fmt::format(
        "{}: 8 bits lose {:.2f} BLEU, more than --max-bleu-drop {}; nothing was written", a.model,
        before.bleu - after.bleu, a.max_bleu_drop));
}

void run_quantize(const QuantizeArguments& a) {
  check(a);
  const RuntimeScope runtime = enter_runtime(a.threads);
  const Checkpoint model = load_checkpoint(a.model);
  const Checkpoint quantized = quantize_model(model);
  if (!a.src.empty()) compare(model, quantized, a);
  save_checkpoint(a.out, quantized);
  const auto bytes = [](const std::string& path) {
    return static_cast<std::int64_t>(std::filesystem::file_size(model_file_of(path)));
  };
  answer("size   {:>12}  ->  {:>12}   bytes\n{}: the model in 8 bits\n",
         readable_count(bytes(a.model)), readable_count(bytes(a.out)), shown_path(a.out));
}

}  // namespace

void add_quantize_command(CLI::App& app) {
  CLI::App& command = add_command(app, "quantize", "Quantize a model to 8 bits: smaller, faster");
  const auto arguments = std::make_shared<QuantizeArguments>();
  add_argument(command, arguments->model, {"model", "MODEL", "model file, or the folder of a run"});
  OptionBinding(command).add(*arguments);
  on_command(command, [arguments] { run_quantize(*arguments); });
}

}  // namespace attend
