#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "attend/cli/binding/command.h"
#include "attend/cli/binding/model_path.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/binding/thread_options.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/output.h"
#include "attend/cli/output_format.h"
#include "attend/cli/progress_line.h"
#include "attend/cli/standard_input.h"
#include "attend/error.h"
#include "attend/inspect/words/nearest_contexts.h"

namespace attend {
namespace {

struct NearestArguments {
  std::string model;
  NearestOptions nearest;
  int layer = EmbeddingOptions{}.layer;
  OutputFormat format = OutputFormat::text;
  ThreadOptions threads;
};

template <class Visitor>
void fields(NearestArguments& a, Visitor&& visit) {
  fields(a.nearest, visit);
  visit("layer", a.layer, kEncoderLayers, kEncoderLayerHelp);
  visit("format", a.format,
        "text: similarity TAB line number TAB line; json: one object per line that was found");
  fields(a.threads, visit);
}

std::string to_json(const WordContext& context) {
  return json_text(nlohmann::ordered_json{{"similarity", context.similarity},
                                          {"line_number", context.line_number},
                                          {"line", context.line}});
}

std::string to_text(const WordContext& context) {
  return fmt::format("{:.4f}\t{}\t{}", context.similarity, context.line_number, context.line);
}

void run_embed_nearest(const NearestArguments& a) {
  if (a.nearest.word.empty()) throw ConfigError("--word: expected the word to look for, got none");
  if (a.nearest.corpus.empty())
    throw ConfigError("--corpus: expected the file to look for the word in, got none");
  const RuntimeScope runtime = enter_runtime(a.threads);
  const EmbeddingEngine embedder = EmbeddingEngine::load(model_path(a.model));
  LineReader text = standard_input();
  std::string line;
  if (!text.next(line))
    throw DataError("standard input: expected a line with the word in it, found none");
  embedder.check_length(line, text.where());
  LineReader corpus(a.nearest.corpus);
  ProgressLine progress = ProgressLine::over_lines(a.nearest.corpus, /*answering=*/false);
  if (progress.is_shown()) corpus.set_filter([&](std::string&) { progress.add(1); });
  const std::vector<WordContext> found =
      nearest_contexts(embedder, line, a.nearest.word, corpus, a.layer, a.nearest.count);
  progress.end();
  for (const WordContext& context : found)
    answer("{}\n", a.format == OutputFormat::json ? to_json(context) : to_text(context));
}

}  // namespace

void add_embed_nearest_command(CLI::App& embed) {
  CLI::App& command = add_inner_command(
      embed, "nearest",
      "Find the lines of a corpus that use a word most like the first line of standard input does");
  const auto arguments = std::make_shared<NearestArguments>();
  add_argument(command, arguments->model, {"model", "MODEL", kModelHelp});
  OptionBinding(command).add(*arguments);
  on_command(command, [arguments] { run_embed_nearest(*arguments); });
}

}  // namespace attend
