// The training objective of language models: a text, a Transformer, and validation by perplexity.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "attend/tasks/language/model.h"
#include "attend/tasks/language/output_sampler.h"
#include "attend/train/objective.h"

namespace attend {

// A held-out text in windows; all targets count.
struct LanguageValidation {
  LanguageEvaluationBatcher batches;
  std::int64_t targets = 0;
};

// The mean of the probabilities of other models as soft targets.
struct LanguageDistillation {
  std::vector<std::shared_ptr<const LanguageTransformer>> teachers = {};
  float weight = 0.0f;  // of the soft targets in the loss
};

struct LanguageLoss {
  float label_smoothing = 0.0f;
  std::optional<OutputSampler> sampler;    // none: the whole vocabulary
  LanguageDistillation distillation = {};  // not with a sampler
};

class LanguageObjective final : public Objective {
 public:
  LanguageObjective(LanguageModel model, LanguageBatcher batches, LanguageLoss loss,
                    std::optional<LanguageValidation> validation);

  ParameterSet& parameters() override { return model_.network->parameters(); }
  std::int64_t batches(std::int64_t epoch) override { return batches_.batches(epoch); }
  void limit_batches(std::int64_t tokens) override { batches_.limit_batches(tokens); }
  BatchSize size(std::int64_t epoch, std::int64_t batch) override {
    return {batches_.size(epoch, batch), 0};
  }
  BatchLoss loss(std::int64_t epoch, std::int64_t batch, double normalizer, Pass& pass) override;
  bool can_validate() const override { return validation_.has_value(); }
  // score: the log-likelihood per token, the negative logarithm of the perplexity.
  Validation validate_together(Collective& processes) override;

 private:
  CrossEntropy loss_of(const LanguageBatch& windows, const CrossEntropyOptions& options,
                       Pass& pass) const;

  LanguageModel model_;
  LanguageBatcher batches_;
  LanguageLoss loss_;
  std::optional<LanguageValidation> validation_;
};

}  // namespace attend
