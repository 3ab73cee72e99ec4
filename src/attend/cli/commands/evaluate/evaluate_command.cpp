#include <fmt/format.h>

#include <memory>

#include "attend/cli/binding/command.h"
#include "attend/cli/binding/model_path.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/binding/thread_options.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/commands/evaluate/evaluation.h"
#include "attend/error.h"
#include "attend/tasks/model_file/registry.h"
#include "attend/tasks/quality/model.h"

namespace attend {
namespace {

struct EvaluateArguments {
  std::string model;  // empty: given translations
  EvaluationOutput output;
  ThreadOptions threads;
  TranslationEvaluation translations;
  LanguageEvaluation language;
  ClassifierEvaluation classifier;
  EmbeddingEvaluation embedding;
};

// The options of what is not measured here would be ignored. `measured`: "a classifier".
template <class... Options>
void refuse_options_of(const OptionBinding& binding, std::string_view measured, Options... others) {
  const auto refuse = [&](auto& options) {
    for (const OptionField& field : option_fields(options))
      binding.refuse_beside(measured, {field.name});
  };
  (refuse(others), ...);
}

// Evaluates a model according to its kind.
void evaluate_model(const EvaluateArguments& a, const OptionBinding& binding) {
  visit_model(
      *load_model(model_path(a.model)),
      [&](const LanguageModel& model) {
        refuse_options_of(binding, "a language model", a.translations, a.classifier, a.embedding);
        evaluate_language_model(model, a.language, a.output, binding);
      },
      [&](const ClassificationModel& model) {
        refuse_options_of(binding, "a classifier", a.translations, a.language, a.embedding);
        evaluate_classifier(model, a.classifier, a.output, binding);
      },
      [&](const TaggingModel& model) {
        refuse_options_of(binding, "a model that tags words", a.translations, a.language,
                          a.embedding);
        evaluate_tagger(model, a.classifier, a.output, binding);
      },
      [&](const EmbeddingModel& model) {
        refuse_options_of(binding, "an embedding model", a.translations, a.language);
        binding.refuse_beside("an embedding model", {"errors", "reliability", "threshold",
                                                     "second-column", "label-separator"});
        evaluate_embeddings(model, a.embedding, a.classifier, a.output);
      },
      [&](const QualityModel&) {
        throw ConfigError(
            fmt::format("{}: a model that scores translations is given with --comet, beside "
                        "--hypotheses",
                        a.model));
      },
      [&](const SavedModel& model) {
        throw ConfigError(
            fmt::format("{}: attend evaluate cannot measure a model for {}; translations are given "
                        "with --hypotheses and --references",
                        a.model, model.task()));
      });
}

// Options of a resampling that is not done.
void refuse_unused_resampling(const TranslationEvaluation& o, const OptionBinding& binding) {
  const bool compares = !o.baseline.empty();
  const bool exchanges = o.metrics.significance == SignificanceTest::randomization;
  if (!compares) binding.refuse_without("--baseline", {"significance", "trials"});
  if (!exchanges) binding.refuse_without("--significance randomization", {"trials"});
  if (o.metrics.confidence) return;
  if (!compares)
    binding.refuse_without("--confidence or --baseline", {"bootstrap-samples", "seed"});
  if (exchanges)
    binding.refuse_without("--confidence or --significance bootstrap", {"bootstrap-samples"});
}

void refuse_unused_texts(const TranslationEvaluation& o, const OptionBinding& binding) {
  if (o.breakdown && o.sources.empty())
    throw ConfigError("--sources: expected the sources of the translations for --breakdown");
  if (o.breakdown) return;
  binding.refuse_without("--breakdown", {"training-text", "src-lang", "tgt-lang"});
  if (o.worst == 0 && o.comet.empty())
    binding.refuse_without("--breakdown, --worst or --comet", {"sources"});
}

void run_evaluate(const EvaluateArguments& arguments, const OptionBinding& binding) {
  if (arguments.output.format == OutputFormat::json)
    binding.refuse_beside("--format json", {"digits"});
  const RuntimeScope runtime = enter_runtime(arguments.threads);
  if (arguments.model.empty()) {
    refuse_options_of(binding, "given translations", arguments.language, arguments.classifier,
                      arguments.embedding);
    refuse_unused_resampling(arguments.translations, binding);
    refuse_unused_texts(arguments.translations, binding);
    return evaluate_translations(arguments.translations, arguments.output, binding);
  }
  evaluate_model(arguments, binding);
}

}  // namespace

void add_evaluate_command(CLI::App& app) {
  CLI::App& command =
      add_command(app, "evaluate",
                  "Evaluate a model on a text, or given translations with BLEU, chrF or COMET");
  const auto arguments = std::make_shared<EvaluateArguments>();
  add_argument(
      command, arguments->model,
      {"model", "MODEL", "model file, or the folder of a run; leave out for given translations",
       /*required=*/false});
  OptionBinding binding(command);
  binding.add(arguments->output);
  binding.add(arguments->threads);
  binding.add(arguments->translations,
              "Translations: BLEU and chrF, as sacreBLEU computes them, and COMET");
  binding.add(arguments->language, "A language model: perplexity");
  binding.add(arguments->classifier,
              "A classifier or tagger: accuracy, precision, recall, F1, confusion matrix; errors "
              "and correlations of numbers; entities");
  binding.add(arguments->embedding,
              "An embedding model: recall, MRR and nDCG of retrieval (also with --labeled), "
              "Spearman's correlation");
  on_command(command, [binding, arguments] { run_evaluate(*arguments, binding); });
}

}  // namespace attend
