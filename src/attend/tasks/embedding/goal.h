// What an embedding model is trained on: texts that belong together, or the vectors of a teacher.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "attend/data/batching/batch_plan.h"
#include "attend/data/batching/tuple_batcher.h"
#include "attend/models/text_embedder.h"
#include "attend/tasks/embedding/contrastive_loss.h"
#include "attend/tasks/training/taught_texts.h"
#include "attend/train/objective.h"

namespace attend {

// How far a vector is from the teacher's. squared_error: the mean of the squared differences of
// their elements ("MSELoss" of sentence-transformers); cosine: 1 - cosine.
enum class VectorLoss { squared_error, cosine };
inline std::span<const std::string_view> enum_names(VectorLoss) {
  static constexpr std::array<std::string_view, 2> kNames{"squared_error", "cosine"};
  return kNames;
}

// The kind of what a teacher says (TaughtKind).
inline constexpr std::string_view kTaughtVectors = "vectors";

class EmbeddingGoal {
 public:
  virtual ~EmbeddingGoal() = default;

  virtual std::int64_t batches(std::int64_t epoch) const = 0;
  virtual void limit_batches(std::int64_t tokens) = 0;
  // sources: the tokens of the texts.
  virtual BatchSize size(std::int64_t epoch, std::int64_t batch) const = 0;
  virtual std::string unit() const = 0;  // of the targets
  virtual double largest_error() const { return 1; }
  // Summed over the targets.
  virtual ContrastiveResult loss(const TextEmbedder& network, std::int64_t epoch,
                                 std::int64_t batch, Pass& pass) const = 0;
};

// targets: pairs or triplets.
class RelatedGoal final : public EmbeddingGoal {
 public:
  RelatedGoal(TupleBatcher batches, ContrastiveLoss loss)
      : batches_(std::move(batches)), loss_(std::move(loss)) {}

  std::int64_t batches(std::int64_t epoch) const override { return batches_.batches(epoch); }
  void limit_batches(std::int64_t tokens) override { batches_.limit_batches(tokens); }
  BatchSize size(std::int64_t epoch, std::int64_t batch) const override;
  std::string unit() const override { return "pairs"; }
  ContrastiveResult loss(const TextEmbedder& network, std::int64_t epoch, std::int64_t batch,
                         Pass& pass) const override;

 private:
  TupleBatcher batches_;
  ContrastiveLoss loss_;
};

// targets: texts.
class VectorGoal final : public EmbeddingGoal {
 public:
  // tokens: of taught->texts().
  VectorGoal(Ragged tokens, std::shared_ptr<const TaughtTexts> taught, VectorLoss loss,
             const BatchOptions& options, std::uint64_t seed);

  std::int64_t batches(std::int64_t epoch) const override {
    return planner_.plan(epoch)->batches();
  }
  void limit_batches(std::int64_t tokens) override { planner_.limit_batches(tokens); }
  BatchSize size(std::int64_t epoch, std::int64_t batch) const override;
  std::string unit() const override { return "texts"; }
  double largest_error() const override { return largest_error_; }
  ContrastiveResult loss(const TextEmbedder& network, std::int64_t epoch, std::int64_t batch,
                         Pass& pass) const override;

 private:
  Ragged tokens_;
  std::shared_ptr<const TaughtTexts> taught_;
  VectorLoss loss_;
  BatchPlanner planner_;
  double largest_error_ = 1;
};

// The loss of vectors [B, W] whose teacher's are `wanted` [B, W], summed over the texts.
Variable vector_loss(const Variable& vectors, const Tensor& wanted, VectorLoss loss);

}  // namespace attend
