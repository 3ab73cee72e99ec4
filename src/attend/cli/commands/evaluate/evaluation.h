// The parts of `attend evaluate`: options and a function for each kind of model.
// evaluate_command.cpp binds all options to one command and selects the function.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "attend/cli/output_format.h"
#include "attend/core/options/options.h"
#include "attend/data/classification.h"
#include "attend/data/related_texts.h"
#include "attend/metrics/report.h"
#include "attend/tasks/classification/model.h"
#include "attend/tasks/embedding/model.h"
#include "attend/tasks/language/perplexity.h"
#include "attend/tasks/tagging/model.h"
#include "attend/translation_breakdown.h"

namespace attend {

class OptionBinding;

struct EvaluationOutput {
  OutputFormat format = OutputFormat::text;
  int digits = 2;
};

template <class Visitor>
void fields(EvaluationOutput& o, Visitor&& visit) {
  visit("format", o.format, "text for people, json for programs");
  visit("digits", o.digits, between(0, 12), "decimal places of the printed scores");
}

// Given translations, without a model.
struct TranslationEvaluation {
  std::vector<std::string> hypotheses;
  std::vector<std::string> references;
  std::string baseline;
  EvaluationOptions metrics;
  std::vector<std::string> comet;
  bool breakdown = false;
  std::string sources;
  std::vector<std::string> training_text;
  LanguagePair languages;
  int worst = 0;
};

template <class Visitor>
void fields(TranslationEvaluation& o, Visitor&& visit) {
  visit("hypotheses", o.hypotheses,
        "file with one translation per line; -: standard input; several beside a baseline");
  visit("references", o.references, "files with reference translations, line by line");
  visit("baseline", o.baseline,
        "file with the translations of another system, which each file of translations is compared "
        "with");
  fields(o.metrics, visit);
  visit("comet", o.comet,
        "models that score translations, such as those of COMET, as further metrics; these read "
        "--sources, references, or both");
  visit("breakdown", o.breakdown,
        "also print scores by the length of the source, the words that got lost, and lines that "
        "look wrong; needs --sources");
  visit("sources", o.sources, "file with the source of each translation, line by line");
  visit("training-text", o.training_text,
        "text in the target language that the translator was trained on, to split scores by how "
        "often a word occurs there");
  visit("src-lang", o.languages.source,
        "language of the sources, such as de, to look for lost negation and copied sources");
  visit("tgt-lang", o.languages.target,
        "language of the translations, such as en, to look for lost negation and wrong languages");
  visit("worst", o.worst, between(0, 1e6),
        "also print this many lines with the lowest chrF: source, reference and translation");
}

// What systems made of the same lines. A baseline is the first one.
struct TranslatedLines {
  std::vector<std::string> names;  // of the files
  Systems systems;
  References references;
  std::vector<std::string> sources;  // may be empty
};

// What --breakdown and --worst find, of every system.
struct TranslationFaults {
  std::vector<NamedBreakdown> breakdowns;
  std::string left_out;  // a line that says what they lack, and why
  std::vector<std::vector<LineChrf>> worst;
};

TranslationFaults find_faults(const TranslationEvaluation& options, const TranslatedLines& lines);
std::string faults_text(const TranslationFaults& faults, const TranslatedLines& lines, int digits);
// Adds "breakdown" and "worst" to the answer, where there are any.
void add_faults(const TranslationFaults& faults, const TranslatedLines& lines,
                nlohmann::ordered_json& json);

// The metrics of the models of --comet. Throws ConfigError for texts that one needs and lacks.
std::vector<ReportedMetric> comet_metrics(const TranslationEvaluation& options,
                                          const TranslatedLines& lines);

// `binding` knows which options were given.
void evaluate_translations(TranslationEvaluation options, const EvaluationOutput& output,
                           const OptionBinding& binding);

// A language model on a text.
struct LanguageEvaluation {
  std::vector<std::string> text;
  std::string document_end;
  TextPerplexityOptions perplexity;
};

template <class Visitor>
void fields(LanguageEvaluation& o, Visitor&& visit) {
  visit(
      "text", o.text,
      "text to measure perplexity on, plain, gzip or zstd; for a model of documents every file is "
      "one");
  visit("document-end", o.document_end,
        "line that ends a document in a file, and is no part of the document");
  fields(o.perplexity, visit);
}

// `binding` knows which options were given.
void evaluate_language_model(const LanguageModel& model, LanguageEvaluation options,
                             const EvaluationOutput& output, const OptionBinding& binding);

// A classifier, on labeled texts.
struct ClassifierEvaluation {
  std::vector<std::string> labeled;
  std::string errors;
  bool reliability = false;
  float threshold = ClassificationOptions{}.threshold;
  LabeledOptions columns;
};

template <class Visitor>
void fields(ClassifierEvaluation& o, Visitor&& visit) {
  visit("labeled", o.labeled,
        "files of labeled texts, plain, gzip or zstd: label TAB text on each line, CSV or JSON "
        "Lines; for a model that tags words also CoNLL");
  visit("errors", o.errors,
        "write misclassified texts to this file, most confident first: label, prediction, its "
        "probability, text, separated by tabs");
  visit("reliability", o.reliability,
        "also print how true the probabilities are: accuracy by probability, and the expected "
        "calibration error");
  visit("threshold", o.threshold, between(0, 1),
        "smallest probability of the labels to predict, for multi-label models");
  fields(o.columns, visit);
}

// `binding` knows which options were given.
void evaluate_classifier(const ClassificationModel& model, const ClassifierEvaluation& options,
                         const EvaluationOutput& output, const OptionBinding& binding);

// The same options for texts with a tag per word.
void evaluate_tagger(const TaggingModel& model, const ClassifierEvaluation& options,
                     const EvaluationOutput& output, const OptionBinding& binding);

// Precision, recall, F1 and support.
nlohmann::ordered_json to_json(const ClassScores& scores);
nlohmann::ordered_json to_json(const ConfusionMatrix& confusion);
nlohmann::ordered_json to_json(const Reliability& reliability);

// An embedding model, on texts that belong together or have a score.
struct EmbeddingEvaluation {
  std::vector<std::string> pairs;
  std::vector<std::string> scored;
  PairColumns columns;
};

template <class Visitor>
void fields(EmbeddingEvaluation& o, Visitor&& visit) {
  visit(
      "pairs", o.pairs,
      "files of pairs of texts, plain, gzip or zstd, to measure how well the first text of a pair "
      "finds the second among all texts");
  visit("scored", o.scored,
        "files of pairs of texts with a similarity score, to correlate the scores with cosines");
  fields(o.columns, visit);
}

// `labels`: for texts of which those with the same label should find each other, and how tables are
// read.
void evaluate_embeddings(const EmbeddingModel& model, const EmbeddingEvaluation& options,
                         const ClassifierEvaluation& labels, const EvaluationOutput& output);

}  // namespace attend
