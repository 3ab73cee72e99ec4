#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "attend/cli/binding/command.h"
#include "attend/cli/binding/model_path.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/binding/thread_options.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/output.h"
#include "attend/cli/output_format.h"
#include "attend/cli/progress_line.h"
#include "attend/core/files/atomic_file.h"
#include "attend/core/options/option_error.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/inspect/words/word_senses.h"

namespace attend {
namespace {

struct SenseArguments {
  std::string model;
  std::string uses;
  std::string word;
  std::string plot;
  int layer = EmbeddingOptions{}.layer;
  OutputFormat format = OutputFormat::text;
  ThreadOptions threads;
};

template <class Visitor>
void fields(SenseArguments& a, Visitor&& visit) {
  visit("uses", a.uses,
        "file with one use of the word per line: its sense, a tab, a text with the word");
  visit("word", a.word, "the word whose senses are compared");
  visit("plot", a.plot, "SVG plot to write, with a point for each use");
  visit("layer", a.layer, kEncoderLayers, kEncoderLayerHelp);
  visit("format", a.format, "text: a table; json: an object with a row for each kind of vector");
  fields(a.threads, visit);
}

WordSenses measured_senses(const EmbeddingEngine& embedder, const LabeledText& uses,
                           const SenseArguments& a) {
  try {
    return measure_senses(embedder, uses, a.word, a.layer);
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}: {}", a.uses, message_of(error).on_command_line));
  }
}

void print_senses(const WordSenses& result) {
  for (std::size_t s = 0; s < result.senses.size(); ++s)
    answer("{}{} {}", s == 0 ? "" : ", ", result.uses[s], printable(result.senses[s]));
  answer("\n{:<18}{:>12}{:>14}{:>15}\n", "vectors", "agreement", "cosine within", "cosine between");
  for (const SenseSeparation& row : result.separations)
    answer("{:<18}{:>12.3f}{:>14.3f}{:>15.3f}\n", row.vectors, row.agreement, row.within,
           row.between);
}

std::string to_json(const WordSenses& result) {
  nlohmann::ordered_json json{{"senses", nlohmann::ordered_json::array()},
                              {"vectors", nlohmann::ordered_json::array()}};
  for (std::size_t s = 0; s < result.senses.size(); ++s)
    json["senses"].push_back({{"sense", result.senses[s]}, {"uses", result.uses[s]}});
  for (const SenseSeparation& row : result.separations)
    json["vectors"].push_back({{"vectors", row.vectors},
                               {"agreement", row.agreement},
                               {"cosine_within", row.within},
                               {"cosine_between", row.between}});
  return json_text(json, 1);
}

void run_embed_senses(const SenseArguments& a, const OptionBinding& binding) {
  if (a.plot.empty()) binding.refuse_without("--plot", {"layer"});
  if (a.uses.empty())
    throw ConfigError("--uses: expected the file with the uses of the word, got none");
  if (a.word.empty())
    throw ConfigError("--word: expected the word whose senses are compared, got none");
  const RuntimeScope runtime = enter_runtime(a.threads);
  const EmbeddingEngine embedder = EmbeddingEngine::load(model_path(a.model));
  const LabeledText uses = read_labeled(std::span(&a.uses, 1), {});
  for (std::size_t i = 0; i < uses.texts.size(); ++i)
    embedder.check_length(uses.texts[i], fmt::format("{}:{}", a.uses, i + 1));
  ProgressLine progress = ProgressLine::timing("comparing the uses of the word");
  const WordSenses result = measured_senses(embedder, uses, a);
  progress.end();
  if (a.format == OutputFormat::json) {
    answer("{}\n", to_json(result));
  } else {
    print_senses(result);
  }
  if (!a.plot.empty()) write_file_atomically(a.plot, to_svg(result.plot));
}

}  // namespace

void add_embed_senses_command(CLI::App& embed) {
  CLI::App& command = add_inner_command(
      embed, "senses", "Measure how far apart the senses of a word are, layer by layer");
  const auto arguments = std::make_shared<SenseArguments>();
  add_argument(command, arguments->model, {"model", "MODEL", kModelHelp});
  OptionBinding binding(command);
  binding.add(*arguments);
  on_command(command, [binding, arguments] { run_embed_senses(*arguments, binding); });
}

}  // namespace attend
