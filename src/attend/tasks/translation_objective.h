// Translation as something a Trainer trains: sentence pairs, an encoder-decoder, and validation by perplexity and BLEU.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attend/data/batcher.h"
#include "attend/tasks/translator.h"
#include "attend/train/objective.h"

namespace attend {

// Held-out pairs, as text (to decode and compare) and as batches (for the perplexity).
struct TranslationValidation {
  ParallelText text;
  TranslationBatcher batches;
  TranslationOptions decoding;
  bool pretokenized = false;  // BLEU on the tokens as they are, instead of sacreBLEU's 13a
};

class TranslationObjective final : public Objective {
 public:
  TranslationObjective(TranslationModel model, TranslationBatcher batches, float label_smoothing,
                       std::optional<TranslationValidation> validation);

  ParameterSet& parameters() override { return model_.network->parameters(); }
  std::int64_t batches(std::int64_t epoch) override { return batches_.batches(epoch); }
  BatchSize size(std::int64_t epoch, std::int64_t batch) override;
  BatchLoss loss(std::int64_t epoch, std::int64_t batch, double normalizer, Pass& pass) override;
  bool can_validate() const override { return validation_.has_value(); }
  // score: BLEU.
  Validation validate() override;

 private:
  BatchLoss loss_of(const TranslationBatch& batch, double normalizer, Pass& pass) const;

  TranslationModel model_;
  Translator translator_;
  TranslationBatcher batches_;
  float label_smoothing_;
  std::optional<TranslationValidation> validation_;
};

}  // namespace attend
