// The training objective of embedding models: texts that belong together, and validation by
// retrieval and by scored pairs.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "attend/data/batching/tuple_batcher.h"
#include "attend/tasks/embedding/contrastive_loss.h"
#include "attend/tasks/embedding/goal.h"
#include "attend/tasks/embedding/model.h"
#include "attend/tasks/embedding/retrieval.h"
#include "attend/train/objective.h"

namespace attend {

// The validation score that selects the best step. by_data: nDCG, or Spearman's correlation where
// there are scored pairs alone.
enum class EmbeddingScore { by_data, recall, mrr, ndcg, spearman, loss };
inline std::span<const std::string_view> enum_names(EmbeddingScore) {
  static constexpr std::array<std::string_view, 6> kNames{"by_data", "recall",   "mrr",
                                                          "ndcg",    "spearman", "loss"};
  return kNames;
}

// What is held out; one of the two, or both.
struct EmbeddingValidation {
  struct Related {
    TupleBatcher batches;
    Retrieval retrieval;
    ContrastiveLoss loss;
  };
  struct Scored {
    ScoredTexts pairs;
    Ragged texts;  // the tokens of pairs.texts
  };
  std::optional<Related> related;
  std::optional<Scored> scored;
  EmbeddingScore best_by = EmbeddingScore::by_data;
  std::int64_t batch_tokens = 4096;  // of texts that are encoded together
};

class EmbeddingObjective final : public Objective {
 public:
  EmbeddingObjective(EmbeddingModel model, std::unique_ptr<EmbeddingGoal> goal,
                     EmbeddingValidation validation);

  ParameterSet& parameters() override { return model_.network->parameters(); }
  std::int64_t batches(std::int64_t epoch) override { return goal_->batches(epoch); }
  void limit_batches(std::int64_t tokens) override { goal_->limit_batches(tokens); }
  BatchSize size(std::int64_t epoch, std::int64_t batch) override {
    return goal_->size(epoch, batch);
  }
  double largest_error() const override { return goal_->largest_error(); }
  std::string unit() const override { return goal_->unit(); }
  BatchLoss loss(std::int64_t epoch, std::int64_t batch, double normalizer, Pass& pass) override;
  bool can_validate() const override {
    return validation_.related.has_value() || validation_.scored.has_value();
  }
  // The loss of scored pairs alone is 1 - Spearman's correlation.
  Validation validate() override;

 private:
  // [T, D]
  Tensor vectors_of(const Ragged& texts) const;
  void add_retrieval(Validation& result) const;

  EmbeddingModel model_;
  std::unique_ptr<EmbeddingGoal> goal_;
  EmbeddingValidation validation_;
};

}  // namespace attend
