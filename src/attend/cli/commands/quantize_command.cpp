#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "attend/cli/binding/command.h"
#include "attend/cli/binding/model_path.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/binding/thread_options.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/output.h"
#include "attend/cli/output_format.h"
#include "attend/cli/progress_line.h"
#include "attend/core/files/atomic_file.h"
#include "attend/core/options/options.h"
#include "attend/data/corpus.h"
#include "attend/error.h"
#include "attend/tasks/model_file/model_quantization.h"
#include "attend/train/readable.h"

namespace attend {
namespace {

struct QuantizeArguments {
  std::string model;
  std::string out;
  std::string src;
  std::string tgt;
  int bits = 8;
  double max_bleu_drop = 0.2;
  OutputFormat format = OutputFormat::text;
  BleuOptions bleu;
  ThreadOptions threads;
};

template <class Visitor>
void fields(QuantizeArguments& a, Visitor&& visit) {
  visit("out", a.out, "model file to write");
  visit("bits", a.bits, between(4, 16),
        "bits per weight: 8 (a quarter of the size, fast), 4 (half of that, fastest for single "
        "texts, costs quality) or 16 (bf16, half the size)");
  visit("src", a.src, "source text to translate with both models, to compare speed and quality");
  visit("tgt", a.tgt, "reference translation of --src, line by line");
  visit("max-bleu-drop", a.max_bleu_drop, between(-1000, 1000),
        "fail and write nothing when BLEU on --src drops by more than this; needs --src");
  visit("tokenize", a.bleu.tokenization,
        "tokenization of BLEU on --src: 13a, none (the text is tokenized already), intl or char");
  visit("format", a.format, "text for people, json for programs: sizes, BLEU, sentences/s");
  fields(a.threads, visit);
}

void check(const QuantizeArguments& a, const OptionBinding& binding) {
  if (a.out.empty()) throw ConfigError("--out: expected the model file to write, got none");
  if (a.bits != 4 && a.bits != 8 && a.bits != 16)
    throw ConfigError(fmt::format("--bits: expected 4, 8 or 16, got {}", a.bits));
  if (a.src.empty() != a.tgt.empty())
    throw ConfigError("--src and --tgt: expected both or neither, got one");
  if (std::isnan(a.max_bleu_drop)) throw ConfigError("--max-bleu-drop: expected a number, got nan");
  if (a.src.empty()) binding.refuse_without("--src", {"max-bleu-drop", "tokenize"});
}

// A model and the same in fewer bits on a text.
struct Comparison {
  TranslationMeasure before, after;
  double sentences = 0;
};

Comparison compared(const Checkpoint& model, const Checkpoint& quantized,
                    const QuantizeArguments& a) {
  const ParallelText text = read_parallel(std::vector{a.src}, std::vector{a.tgt});
  ProgressLine progress =
      ProgressLine::counting("translations", 2 * static_cast<std::int64_t>(text.src.size()));
  const auto advance = [&](std::int64_t sentences) { progress.add(sentences); };
  return {measure_translation(model, text, a.bleu, advance),
          measure_translation(quantized, text, a.bleu, advance),
          static_cast<double>(text.src.size())};
}

void print(const Comparison& c) {
  answer("BLEU   {:>12.2f}  ->  {:>12.2f}   ({:+.2f})\n", c.before.bleu, c.after.bleu,
         c.after.bleu - c.before.bleu);
  answer("speed  {:>12.1f}  ->  {:>12.1f}   sentences/s ({:.2f} times)\n",
         c.sentences / c.before.seconds, c.sentences / c.after.seconds,
         c.before.seconds / c.after.seconds);
}

// Throws DataError if too much quality is lost.
void require_quality(const Comparison& c, const QuantizeArguments& a) {
  if (!(c.before.bleu - c.after.bleu <= a.max_bleu_drop))
    throw DataError(fmt::format(
        "{}: BLEU drops by {:.2f} in {} bits, more than --max-bleu-drop {}; nothing was written",
        a.model, c.before.bleu - c.after.bleu, a.bits, a.max_bleu_drop));
}

std::int64_t bytes_of(const std::string& path) {
  return static_cast<std::int64_t>(std::filesystem::file_size(model_file_of(path)));
}

std::string to_json(const QuantizeArguments& a, std::int64_t bytes_before,
                    const std::optional<Comparison>& c) {
  nlohmann::ordered_json json{
      {"model", a.out}, {"bytes_before", bytes_before}, {"bytes_after", bytes_of(a.out)}};
  if (c) {
    json["bleu_before"] = c->before.bleu;
    json["bleu_after"] = c->after.bleu;
    json["sentences_per_second_before"] = c->sentences / c->before.seconds;
    json["sentences_per_second_after"] = c->sentences / c->after.seconds;
  }
  return json_text(json);
}

void run_quantize(const QuantizeArguments& a, const OptionBinding& binding) {
  check(a, binding);
  const RuntimeScope runtime = enter_runtime(a.threads);
  const std::string path = model_path(a.model);
  const Checkpoint model = load_checkpoint(path);
  const Checkpoint quantized = quantize_model(model, weight_bits_of(a.bits));
  const bool text = a.format == OutputFormat::text;
  std::optional<Comparison> comparison;
  if (!a.src.empty()) {
    comparison = compared(model, quantized, a);
    if (text) print(*comparison);
    require_quality(*comparison, a);
  }
  save_checkpoint(a.out, quantized);
  if (!text) return answer("{}\n", to_json(a, bytes_of(path), comparison));
  answer("size   {:>12}  ->  {:>12}   bytes\n{}: the model in {} bits\n",
         readable_count(bytes_of(path)), readable_count(bytes_of(a.out)), shown_path(a.out),
         weight_bits(quantized));
}

}  // namespace

void add_quantize_command(CLI::App& app) {
  CLI::App& command = add_command(
      app, "quantize", "Quantize a model to 4, 8 or 16 bits: a smaller file, often faster");
  const auto arguments = std::make_shared<QuantizeArguments>();
  add_argument(command, arguments->model, {"model", "MODEL", kModelHelp});
  OptionBinding binding(command);
  binding.add(*arguments);
  on_command(command, [binding, arguments] { run_quantize(*arguments, binding); });
}

}  // namespace attend
