// How well a classifier does on labeled texts, for each type of problem.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "attend/metrics.h"
#include "attend/models/text_classifier.h"

namespace attend {

// The validation score that selects the best step.
enum class ClassificationScore {
  accuracy,
  macro_f1,
  loss,
  by_problem,  // accuracy of single labels, micro_f1 of several, spearman of numbers
  micro_f1,
  pearson,
  spearman
};
inline std::span<const std::string_view> enum_names(ClassificationScore) {
  static constexpr std::array<std::string_view, 7> kNames{
      "accuracy", "macro_f1", "loss", "by_problem", "micro_f1", "pearson", "spearman"};
  return kNames;
}

class ClassifierScores {
 public:
  // Throws ConfigError without labels.
  ClassifierScores(ProblemType problem, const std::vector<std::string>& labels);

  // Counts a text with a single label.
  void add_label(std::int64_t gold, std::int64_t predicted);
  // Counts a text with several labels, given as 0 and 1.
  void add_labels(std::span<const float> gold, const std::vector<bool>& predicted);
  // Counts a number.
  void add_number(double gold, double predicted);

  // {"accuracy", 0.9}, {"macro_f1", 0.8}: the first is that of by_problem.
  std::vector<std::pair<std::string, double>> metrics() const;
  std::int64_t total() const;
  // The problem decides: ConfusionMatrix, LabelCounts or NumberErrors.
  const std::variant<ConfusionMatrix, LabelCounts, NumberErrors>& counts() const { return counts_; }

 private:
  std::variant<ConfusionMatrix, LabelCounts, NumberErrors> counts_;
};

// Throws ConfigError if models for this problem are not measured by `score`.
void require_score_of(ProblemType problem, ClassificationScore score);

}  // namespace attend
