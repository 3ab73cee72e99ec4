#include "attend/tasks/classification/scores.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/core/options/option_error.h"
#include "attend/error.h"

namespace attend {

namespace {

using Counts = std::variant<ConfusionMatrix, LabelCounts, NumberErrors>;

Counts counts_for(ProblemType problem, const std::vector<std::string>& labels) {
  if (problem == ProblemType::multi_label) return LabelCounts(labels);
  if (problem == ProblemType::regression) return NumberErrors();
  return ConfusionMatrix(labels);
}

std::vector<ClassificationScore> scores_of(ProblemType problem) {
  using enum ClassificationScore;
  if (problem == ProblemType::multi_label) return {micro_f1, macro_f1, accuracy};
  if (problem == ProblemType::regression) return {spearman, pearson};
  return {accuracy, macro_f1};
}

std::string_view name_of(ClassificationScore score) {
  return enum_names(score)[static_cast<std::size_t>(score)];
}

}  // namespace

ClassifierScores::ClassifierScores(ProblemType problem, const std::vector<std::string>& labels)
    : counts_(counts_for(problem, labels)) {}

void ClassifierScores::add_label(std::int64_t gold, std::int64_t predicted) {
  std::get<ConfusionMatrix>(counts_).add(gold, predicted);
}

void ClassifierScores::add_labels(std::span<const float> gold, const std::vector<bool>& predicted) {
  std::vector<bool> has(gold.size());
  std::transform(gold.begin(), gold.end(), has.begin(), [](float one) { return one > 0.5f; });
  std::get<LabelCounts>(counts_).add(has, predicted);
}

void ClassifierScores::add_number(double gold, double predicted) {
  std::get<NumberErrors>(counts_).add(gold, predicted);
}

std::vector<std::pair<std::string, double>> ClassifierScores::metrics() const {
  if (const auto* const labels = std::get_if<LabelCounts>(&counts_))
    return {{"micro_f1", labels->micro().f1},
            {"macro_f1", labels->macro().f1},
            {"accuracy", labels->exact_share()}};
  if (const auto* const numbers = std::get_if<NumberErrors>(&counts_))
    return {{"spearman", numbers->spearman()},
            {"pearson", numbers->pearson()},
            {"mse", numbers->mean_squared_error()}};
  const auto& confusion = std::get<ConfusionMatrix>(counts_);
  return {{"accuracy", confusion.accuracy()}, {"macro_f1", confusion.macro_f1()}};
}

std::int64_t ClassifierScores::total() const {
  return std::visit([](const auto& counts) { return counts.total(); }, counts_);
}

void require_score_of(ProblemType problem, ClassificationScore score) {
  if (score == ClassificationScore::by_problem || score == ClassificationScore::loss) return;
  const std::vector<ClassificationScore> known = scores_of(problem);
  if (std::find(known.begin(), known.end(), score) != known.end()) return;
  std::vector<std::string_view> names;
  for (const ClassificationScore one : known) names.push_back(name_of(one));
  throw OptionError<ConfigError>(
      "{}: {} is no score of {}; expected loss, {}", as_key("best-by"), name_of(score),
      enum_names(problem)[static_cast<std::size_t>(problem)], fmt::join(names, ", "));
}

}  // namespace attend
