#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "attend/cli/commands/evaluation.h"
#include "attend/cli/output.h"
#include "attend/core/error.h"
#include "attend/metrics/classification.h"
#include "attend/tasks/classification/classifier.h"

namespace attend {
namespace {

nlohmann::ordered_json to_json(const ConfusionMatrix& confusion) {
  nlohmann::ordered_json json{{"texts", confusion.total()},
                              {"accuracy", confusion.accuracy()},
                              {"macro_f1", confusion.macro_f1()},
                              {"weighted_f1", confusion.weighted_f1()},
                              {"classes", nlohmann::ordered_json::array()},
                              {"confusion", nlohmann::ordered_json::array()}};
  for (std::int64_t gold = 0; gold < confusion.classes(); ++gold) {
    const ClassScores scores = confusion.of_class(gold);
    json["classes"].push_back({{"label", confusion.class_names()[static_cast<std::size_t>(gold)]},
                               {"precision", scores.precision},
                               {"recall", scores.recall},
                               {"f1", scores.f1},
                               {"support", scores.support}});
    auto row = nlohmann::ordered_json::array();
    for (std::int64_t predicted = 0; predicted < confusion.classes(); ++predicted) row.push_back(confusion.count(gold, predicted));
    json["confusion"].push_back(row);
  }
  return json;
}

}  // namespace

void evaluate_classifier(const ClassificationModel& model, const ClassifierEvaluation& options, const EvaluationOutput& output) {
  if (options.labelled.empty()) throw ConfigError("--labelled: expected a file of labelled texts to measure the classifier on, got none");
  const Classifier classifier(model);
  const LabelledText texts = read_labelled(options.labelled, options.columns, classifier.labels());
  ConfusionMatrix confusion(classifier.labels());
  const std::vector<Classification> found = classifier.classify(texts.texts);
  for (std::size_t i = 0; i < found.size(); ++i) confusion.add(texts.labels[i], static_cast<std::int64_t>(found[i].label));
  answer("{}", output.format == OutputFormat::json ? json_text(to_json(confusion), 1) + "\n" : confusion.table());
}

}  // namespace attend
