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
#include "attend/error.h"
#include "attend/tasks/translation/training/shortlist_training.h"

namespace attend {
namespace {

struct ShortlistArguments {
  std::string model;
  std::string out;
  std::vector<std::string> src;
  std::vector<std::string> tgt;
  ShortlistOptions shortlist;
  OutputFormat format = OutputFormat::text;
  ThreadOptions threads;
};

template <class Visitor>
void fields(ShortlistArguments& a, Visitor&& visit) {
  visit("out", a.out, "model file to write");
  visit("src", a.src,
        "source text to learn from, ideally the training text of the model; may be given several "
        "times");
  visit("tgt", a.tgt, "translation of --src, line by line");
  fields(a.shortlist, visit);
  visit("format", a.format, "text for people, json for programs: the model and its coverage");
  fields(a.threads, visit);
}

void run_shortlist(const ShortlistArguments& a) {
  if (a.out.empty()) throw ConfigError("--out: expected the model file to write, got none");
  if (a.src.empty() || a.tgt.empty())
    throw ConfigError("--src and --tgt: expected the text to learn from, got none");
  const RuntimeScope runtime = enter_runtime(a.threads);
  const std::string path = model_path(a.model);
  ProgressLine progress = ProgressLine::timing("learning which tokens translate which");
  const Checkpoint checkpoint = load_checkpoint(path);
  const TranslationModel model = translation_model(checkpoint);
  const auto [report, shortlist, measure] = shortlist_of_text(model, a.src, a.tgt, a.shortlist);
  save_checkpoint(a.out, with_shortlist(checkpoint, shortlist));
  progress.end();
  if (a.format == OutputFormat::json) {
    const nlohmann::ordered_json json{{"model", a.out},
                                      {"pairs", report.pairs},
                                      {"kept", report.kept},
                                      {"tokens_of_a_sentence", measure.tokens},
                                      {"vocabulary", model.tgt_tokenizer.vocab_size()},
                                      {"coverage", measure.coverage}};
    return answer("{}\n", json_text(json));
  }
  answer(
      "{}\na sentence may use {:.0f} of {} tokens on average; they cover {:.2f} % of the text's "
      "tokens\n{}: the model with its shortlist\n",
      report.summary(), measure.tokens, model.tgt_tokenizer.vocab_size(), 100 * measure.coverage,
      shown_path(a.out));
}

}  // namespace

void add_shortlist_command(CLI::App& app) {
  CLI::App& command = add_command(
      app, "shortlist",
      "Add a vocabulary shortlist to a model, for faster decoding with translate --shortlist");
  const auto arguments = std::make_shared<ShortlistArguments>();
  add_argument(command, arguments->model, {"model", "MODEL", kModelHelp});
  OptionBinding(command).add(*arguments);
  on_command(command, [arguments] { run_shortlist(*arguments); });
}

}  // namespace attend
