#include <fmt/format.h>

#include <memory>

#include "attend/cli/binding/command.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/binding/thread_options.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/commands/evaluation.h"
#include "attend/core/error.h"
#include "attend/core/quote.h"
#include "attend/tasks/model_kind.h"

namespace attend {
namespace {

struct EvaluateArguments {
  std::string model;  // empty: given translations
  EvaluationOutput output;
  ThreadOptions threads;
  TranslationEvaluation translations;
  LanguageEvaluation language;
  ClassifierEvaluation classifier;
};

// What is measured of a model depends on what it is for: a line here for every kind.
void evaluate_model(const EvaluateArguments& arguments, const OptionBinding& binding) {
  const Checkpoint model = open_checkpoint(arguments.model);
  const std::string& task = model.text("attend.task");
  if (task == kLanguageModelling) return evaluate_language_model(model, arguments.language, arguments.output, binding);
  if (task == kClassification) return evaluate_classifier(model, arguments.classifier, arguments.output);
  throw ConfigError(
      fmt::format("{}: attend evaluate cannot measure a model for {}; translations are given with --hypotheses and --references",
                  arguments.model, printable(task, 60)));
}

void run_evaluate(const EvaluateArguments& arguments, const OptionBinding& binding) {
  const RuntimeScope runtime = enter_runtime(arguments.threads);
  if (arguments.model.empty()) return evaluate_translations(arguments.translations, arguments.output);
  evaluate_model(arguments, binding);
}

}  // namespace

void add_evaluate_command(CLI::App& app) {
  CLI::App& command = add_command(app, "evaluate", "How good a model is on a text, or given translations (BLEU, chrF)");
  const auto arguments = std::make_shared<EvaluateArguments>();
  add_argument(command, arguments->model, {"model", "MODEL", "model file; none to measure given translations", /*required=*/false});
  OptionBinding binding(command);
  binding.add(arguments->output);
  binding.add(arguments->threads);
  binding.add(arguments->translations, "Translations: BLEU and chrF, as sacreBLEU computes them");
  binding.add(arguments->language, "A language model: perplexity");
  binding.add(arguments->classifier, "A classifier: accuracy, precision, recall, F1, confusion matrix");
  on_command(command, [binding, arguments] { run_evaluate(*arguments, binding); });
}

}  // namespace attend
