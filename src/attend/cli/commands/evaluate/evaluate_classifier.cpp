#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "attend/cli/binding/options_binding.h"
#include "attend/cli/commands/evaluate/evaluation.h"
#include "attend/cli/output.h"
#include "attend/cli/progress_line.h"
#include "attend/cli/text_input.h"
#include "attend/core/files/atomic_file.h"
#include "attend/error.h"
#include "attend/metrics.h"
#include "attend/tasks/classification/engine.h"
#include "attend/tasks/classification/scores.h"

namespace attend {

nlohmann::ordered_json to_json(const ClassScores& scores) {
  return {{"precision", scores.precision},
          {"recall", scores.recall},
          {"f1", scores.f1},
          {"support", scores.support}};
}

nlohmann::ordered_json to_json(const ConfusionMatrix& confusion) {
  nlohmann::ordered_json json{
      {"texts", confusion.total()},
      {"accuracy", confusion.accuracy()},
      {"accuracy_95", {confusion.accuracy_interval().low, confusion.accuracy_interval().high}},
      {"majority_class", confusion.class_names()[static_cast<std::size_t>(confusion.majority())]},
      {"majority_share", confusion.majority_share()},
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
    for (std::int64_t predicted = 0; predicted < confusion.classes(); ++predicted)
      row.push_back(confusion.count(gold, predicted));
    json["confusion"].push_back(row);
  }
  return json;
}

nlohmann::ordered_json to_json(const Reliability& reliability) {
  nlohmann::ordered_json json{{"expected_error", reliability.expected_error()},
                              {"largest_error", reliability.largest_error()},
                              {"bins", nlohmann::ordered_json::array()}};
  for (const Reliability::Bin& bin : reliability.bins())
    json["bins"].push_back({{"low", bin.low},
                            {"high", bin.high},
                            {"predictions", bin.predictions},
                            {"probability", bin.probability},
                            {"accuracy", bin.accuracy}});
  return json;
}

namespace {

nlohmann::ordered_json to_json(const NumberErrors& errors) {
  return {{"texts", errors.total()},
          {"mse", errors.mean_squared_error()},
          {"variance", errors.variance()},
          {"pearson", errors.pearson()},
          {"spearman", errors.spearman()}};
}

nlohmann::ordered_json to_json(const LabelCounts& counts) {
  nlohmann::ordered_json json{{"texts", counts.total()},
                              {"accuracy", counts.exact_share()},
                              {"micro", to_json(counts.micro())},
                              {"macro", to_json(counts.macro())},
                              {"labels", nlohmann::ordered_json::array()}};
  for (const NamedScores& label : counts.labels()) {
    nlohmann::ordered_json row{{"label", label.name}};
    row.update(to_json(label.scores));
    json["labels"].push_back(row);
  }
  return json;
}

// Window after window, so that progress can be shown.
std::vector<Classification> classified(const ClassificationEngine& classifier,
                                       std::span<const std::string> texts,
                                       const ClassificationOptions& options) {
  const auto window = static_cast<std::size_t>(ClassificationOptions{}.window);
  ProgressLine progress = ProgressLine::counting("texts", std::ssize(texts));
  std::vector<Classification> found;
  while (!texts.empty()) {
    const auto next = texts.first(std::min(window, texts.size()));
    texts = texts.subspan(next.size());
    for (Classification& one : classifier.classify(next, options)) found.push_back(std::move(one));
    progress.add(std::ssize(next));
  }
  return found;
}

// Writes the misclassified texts, most confident first. A tab in a text becomes a space.
void write_errors(const std::string& path, const LabeledText& texts,
                  const std::vector<Classification>& found) {
  std::vector<std::size_t> wrong;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (static_cast<std::size_t>(texts.labels[i]) != found[i].label) wrong.push_back(i);
  std::stable_sort(wrong.begin(), wrong.end(), [&](std::size_t a, std::size_t b) {
    return found[a].probability() > found[b].probability();
  });
  std::string lines = "label\tprediction\tprobability\ttext\n";
  for (const std::size_t i : wrong) {
    std::string text = texts.texts[i];
    std::replace(text.begin(), text.end(), '\t', ' ');
    lines += fmt::format("{}\t{}\t{:.4f}\t{}\n",
                         texts.classes[static_cast<std::size_t>(texts.labels[i])],
                         texts.classes[found[i].label], found[i].probability(), text);
  }
  AtomicFile file(path);
  file.write(lines);
  file.commit();
}

ClassifierScores scores_of(const ClassificationModel& model, const LabeledText& texts,
                           const std::vector<Classification>& found) {
  const ProblemType problem = model.problem_type();
  const std::size_t labels = model.labels.size();
  ClassifierScores scores(problem, model.labels);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (problem == ProblemType::regression) {
      scores.add_number(texts.targets[i], found[i].value);
    } else if (problem == ProblemType::multi_label) {
      std::vector<bool> given(labels);
      for (const std::size_t label : found[i].labels) given[label] = true;
      scores.add_labels(std::span(texts.targets).subspan(i * labels, labels), given);
    } else {
      scores.add_label(texts.labels[i], static_cast<std::int64_t>(found[i].label));
    }
  }
  return scores;
}

// Counts the label of each text or, with several labels, whether the text has each of them.
Reliability reliability_of(const ClassificationModel& model, const LabeledText& texts,
                           const std::vector<Classification>& found) {
  Reliability reliability;
  const auto add = [&](float probability, bool right) {
    reliability.add(std::min(probability, 1.0f), right);  // sums of floats may be above 1
  };
  const std::size_t labels = model.labels.size();
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (model.problem_type() == ProblemType::single_label) {
      add(found[i].probability(), static_cast<std::size_t>(texts.labels[i]) == found[i].label);
      continue;
    }
    for (std::size_t label = 0; label < labels; ++label)
      add(found[i].probabilities[label], texts.targets[i * labels + label] > 0.5f);
  }
  return reliability;
}

void check(const ClassificationModel& model, const ClassifierEvaluation& options) {
  if (options.labeled.empty())
    throw ConfigError(
        "--labeled: expected a file of labeled texts to measure the classifier on, got none");
  if (model.pairs && options.columns.second_column.empty())
    throw ConfigError(
        "--second-column: expected the column of the second texts, because the model takes pairs");
  if (!options.errors.empty() && model.problem_type() != ProblemType::single_label)
    throw ConfigError("--errors: expected a classifier whose texts have a single label");
  if (options.reliability && model.problem_type() == ProblemType::regression)
    throw ConfigError(
        "--reliability: expected a model that gives probabilities, got one of numbers");
}

}  // namespace

void evaluate_classifier(const ClassificationModel& model, const ClassifierEvaluation& options,
                         const EvaluationOutput& output, const OptionBinding& binding) {
  if (model.problem_type() != ProblemType::multi_label)
    binding.refuse_beside("a model that gives a single answer", {"threshold", "label-separator"});
  check(model, options);
  const ClassificationEngine classifier(model);
  const LabeledText texts =
      read_labeled(options.labeled, options.columns, {model.problem_type(), model.labels});
  TextInput input(model);
  for (const std::string& text : texts.texts) input.look_at(text);
  const std::vector<Classification> found =
      classified(classifier, texts.texts,
                 {.threshold = options.threshold, .pairs = !options.columns.second_column.empty()});
  if (!options.errors.empty()) write_errors(options.errors, texts, found);
  const Reliability reliability =
      options.reliability ? reliability_of(model, texts, found) : Reliability();
  std::visit(
      [&](const auto& counts) {
        if (output.format == OutputFormat::text)
          return answer("{}{}", counts.table(),
                        options.reliability ? "\n" + reliability.table() : "");
        nlohmann::ordered_json json = to_json(counts);
        if (options.reliability) json["reliability"] = to_json(reliability);
        answer("{}\n", json_text(json, 1));
      },
      scores_of(model, texts, found).counts());
  input.tell_warning();
}

}  // namespace attend
