#include <fmt/format.h>

#include <memory>

#include "attend/cli/binding/command.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/binding/thread_options.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/output.h"
#include "attend/core/error.h"
#include "attend/core/lines.h"
#include "attend/core/options.h"
#include "attend/tasks/translation/translator.h"

namespace attend {
namespace {

struct ScoreArguments {
  std::string model;
  std::string src;
  std::string tgt;
  bool tokens = false;
  ScoringOptions scoring;
  ThreadOptions threads;
};

template <class Visitor>
void fields(ScoreArguments& a, Visitor&& visit) {
  visit("src", a.src, "file with the sources");
  visit("tgt", a.tgt, "file with their translations, line by line");
  visit("tokens", a.tokens, "print the log-probability of every token after that of the sentence");
  visit("max-tokens", a.scoring.max_tokens, between(1, 1e6), "longest text that is scored, in tokens");
  fields(a.threads, visit);
}

void print(const PairScore& score, bool tokens) {
  answer("{:.6f}", score.log_probability);
  if (tokens) answer("\t{:.6f}", fmt::join(score.token_scores, " "));
  answer("\n");
}

void run_score(const ScoreArguments& arguments) {
  if (arguments.src.empty()) throw ConfigError("--src: expected the file with the sources, got none");
  if (arguments.tgt.empty()) throw ConfigError("--tgt: expected the file with the translations, got none");
  use_threads(arguments.threads);
  const Translator translator = Translator::load(arguments.model);
  LineReader src(arguments.src), tgt(arguments.tgt);
  translator.score(
      src, tgt, [&](const PairScore& score) { print(score, arguments.tokens); }, arguments.scoring);
}

}  // namespace

void add_score_command(CLI::App& app) {
  CLI::App& command = add_command(app, "score", "Log-probabilities (natural logarithm) of given translations");
  const auto arguments = std::make_shared<ScoreArguments>();
  add_argument(command, arguments->model, {"model", "MODEL", "model file"});
  OptionBinding(command).add(*arguments);
  on_command(command, [arguments] { run_score(*arguments); });
}

}  // namespace attend
