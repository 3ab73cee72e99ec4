// The training objective of classifiers: labeled texts, an encoder, and validation by accuracy and
// F1.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/ops/cross_entropy.h"
#include "attend/tasks/classification/model.h"
#include "attend/train/objective.h"

namespace attend {

struct ClassificationLoss {
  float label_smoothing = 0.0f;
  // Share of tokens dropped from training texts, at random each time.
  float word_dropout = 0.0f;
  Tensor class_weights = {};  // [C], or undefined: all 1
};

// The validation score that selects the best step.
enum class ClassificationScore { accuracy, macro_f1, loss };
inline std::span<const std::string_view> enum_names(ClassificationScore) {
  static constexpr std::array<std::string_view, 3> kNames{"accuracy", "macro_f1", "loss"};
  return kNames;
}

class ClassificationObjective final : public Objective {
 public:
  ClassificationObjective(ClassificationModel model, ClassificationBatcher batches,
                          ClassificationLoss loss, std::optional<ClassificationBatcher> validation,
                          ClassificationScore best_by = ClassificationScore::accuracy);

  ParameterSet& parameters() override { return model_.network->parameters(); }
  std::int64_t batches(std::int64_t epoch) override { return batches_.batches(epoch); }
  void limit_batches(std::int64_t tokens) override { batches_.limit_batches(tokens); }
  // targets: texts; sources: their tokens.
  BatchSize size(std::int64_t epoch, std::int64_t batch) override;
  std::string unit() const override { return "texts"; }
  BatchLoss loss(std::int64_t epoch, std::int64_t batch, double normalizer, Pass& pass) override;
  bool can_validate() const override { return validation_.has_value(); }
  // score: by `best_by`; for the loss, its negative.
  Validation validate() override;

 private:
  CrossEntropy loss_of(const Variable& logits, const Ids& labels, double normalizer,
                       const Pass& pass) const;

  ClassificationModel model_;
  ClassificationBatcher batches_;
  ClassificationLoss loss_;
  std::optional<ClassificationBatcher> validation_;
  ClassificationScore best_by_;
};

}  // namespace attend
