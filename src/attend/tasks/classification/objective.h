// The training objective of classifiers: labeled texts, an encoder, and validation by the scores of
// the type of problem (scores.h).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attend/tasks/classification/model.h"
#include "attend/tasks/classification/scores.h"
#include "attend/train/objective.h"

namespace attend {

// The mean of the probabilities of other models with the same labels as soft targets.
struct ClassificationDistillation {
  std::vector<std::shared_ptr<const ClassificationModel>> teachers = {};
  float weight = 0.0f;  // of the soft targets in the loss
};

struct ClassificationLoss {
  float label_smoothing = 0.0f;
  // Share of tokens dropped from training texts, at random each time.
  float word_dropout = 0.0f;
  Tensor class_weights = {};  // [C], or undefined: all 1; of single labels
  // R-Drop: weight of the KL divergence between two passes; 0: one pass. Of single labels that all
  // weigh the same.
  float r_drop = 0.0f;
  ClassificationDistillation distillation = {};  // likewise, and not with R-Drop
};

class ClassificationObjective final : public Objective {
 public:
  ClassificationObjective(ClassificationModel model, ClassificationBatcher batches,
                          ClassificationLoss loss, std::optional<ClassificationBatcher> validation,
                          ClassificationScore best_by = ClassificationScore::by_problem);

  ParameterSet& parameters() override { return model_.network->parameters(); }
  std::int64_t batches(std::int64_t epoch) override { return batches_.batches(epoch); }
  void limit_batches(std::int64_t tokens) override { batches_.limit_batches(tokens); }
  // targets: texts; sources: their tokens.
  BatchSize size(std::int64_t epoch, std::int64_t batch) override;
  double largest_error() const override { return largest_error_; }
  std::string unit() const override { return batches_.together() > 1 ? "triples" : "texts"; }
  BatchLoss loss(std::int64_t epoch, std::int64_t batch, double normalizer, Pass& pass) override;
  bool can_validate() const override { return validation_.has_value(); }
  // score: by `best_by`; for the loss, its negative. nll is the loss where there is no likelihood.
  Validation validate_together(Collective& processes) override;

 private:
  // outputs: of all held-out texts, row after row
  ClassifierScores scores_of(std::span<const float> outputs) const;
  // The texts as training reads them, some of their words left out.
  Ragged training_texts(const Ragged& texts, Pass& pass) const;
  BatchLoss paired_loss(const ClassificationBatch& batch, double normalizer, Pass& pass) const;
  BatchLoss distilled_loss(const ClassificationBatch& batch, double normalizer, Pass& pass) const;
  BatchLoss loss_of(const Variable& logits, const ClassificationBatch& batch, double normalizer,
                    const Pass& pass) const;

  ClassificationModel model_;
  ClassificationBatcher batches_;
  ClassificationLoss loss_;
  std::optional<ClassificationBatcher> validation_;
  ClassificationScore best_by_;
  double largest_error_ = 1;
};

}  // namespace attend
