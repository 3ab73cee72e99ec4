// The training objective of translators: sentence pairs, an encoder-decoder, and validation by
// perplexity and BLEU.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attend/data/batching/batcher.h"
#include "attend/tasks/translation/engine.h"
#include "attend/tasks/translation/training/guided_alignment.h"
#include "attend/tasks/translation/training/soft_target_text.h"
#include "attend/train/objective.h"

namespace attend {

// Held-out pairs. Perplexity and BLEU use the same sources, those of the batches.
struct TranslationValidation {
  TranslationBatcher batches;  // without a seed: in text order
  std::vector<std::string>
      references;  // references for their sources, whole even if the loss reads less
  TranslationOptions decoding;
  bool pretokenized = false;  // BLEU on the given tokens, instead of sacreBLEU's 13a
};

// The targets of those pairs of `text` that were kept as `pairs`.
std::vector<std::string> references_of(const EncodedPairs& pairs, const ParallelText& text);

// Models the mean of whose probabilities are soft targets: computed for each batch, or in files.
struct Distillation {
  std::vector<std::shared_ptr<const EncoderDecoder>> teachers = {};
  float weight = 0.0f;  // of the divergence from them; 1 - weight of the cross-entropy
  std::shared_ptr<const SoftTargetText> text = nullptr;  // instead of the teachers
  std::vector<std::int32_t> origin = {};  // of each pair of the batches, in this text

  bool computes() const { return !teachers.empty(); }
  // Reads those of a batch from the text.
  SoftTargets of(const TranslationBatch& batch) const;
};

struct TranslationLoss {
  float label_smoothing = 0.1f;
  // R-Drop: weight of the KL divergence between two passes; 0: one pass.
  float r_drop = 0.0f;
  std::int64_t r_drop_after = 0;  // number of initial epochs without R-Drop
  // Weight of the loss by which a head learns alignments; 0: none.
  float guided_alignment = 0.0f;
  Distillation distillation = {};
  std::shared_ptr<const GuidedAlignment> alignment = nullptr;  // with such a weight
};

class TranslationObjective final : public Objective {
 public:
  TranslationObjective(TranslationModel model, TranslationBatcher batches, TranslationLoss loss,
                       std::optional<TranslationValidation> validation);

  ParameterSet& parameters() override { return model_.network->parameters(); }
  std::int64_t batches(std::int64_t epoch) override { return batches_.batches(epoch); }
  void limit_batches(std::int64_t tokens) override { batches_.limit_batches(tokens); }
  std::vector<std::int64_t> phases() const override;
  BatchSize size(std::int64_t epoch, std::int64_t batch) override;
  BatchLoss loss(std::int64_t epoch, std::int64_t batch, double normalizer, Pass& pass) override;
  bool can_validate() const override { return validation_.has_value(); }
  // score: BLEU; not computed if the loss is not finite. The loss is NaN if a score of decoding is
  // not finite. Each process reads and translates some of the batches.
  Validation validate_together(Collective& processes) override;

 private:
  bool makes_two_passes(std::int64_t epoch) const {
    return loss_.r_drop > 0.0f && epoch >= loss_.r_drop_after;
  }

  // None if the scores of one are not finite.
  std::optional<std::vector<std::string>> hypotheses_of(
      std::vector<TokenizedSentence> sources) const;
  std::shared_ptr<const AttentionGuide> guide_of(const TranslationBatch& batch, bool two_passes,
                                                 double normalizer) const;
  CrossEntropy distilled_loss(const TranslationBatch& batch, bool two_passes,
                              const CrossEntropyOptions& options, Pass& pass) const;

  TranslationModel model_;
  TranslationEngine translator_;
  TranslationBatcher batches_;
  TranslationLoss loss_;
  std::optional<TranslationValidation> validation_;
};

}  // namespace attend
