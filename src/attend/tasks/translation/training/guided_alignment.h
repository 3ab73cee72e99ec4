// Guided alignment: one head of cross-attention learns which source token each target token
// translates, as statistics of the training text tell (Chen et al. 2016; Garg et al. 2019, "Jointly
// Learning to Align and Translate with Transformer Models").
#pragma once

#include <memory>

#include "attend/data/alignment/word_aligner.h"
#include "attend/data/batching/batch.h"
#include "attend/nn/attention/attention_guide.h"
#include "attend/tasks/translation/model.h"

namespace attend {

// The decoder layer whose cross-attention learns: the last but one, if there are several (Garg et
// al. 2019). Throws ConfigError for an architecture or a kind of attention that cannot learn it.
int aligning_layer_of(const ArchitectureConfig& config);

class GuidedAlignment {
 public:
  // Learns from the training text of a model with an aligning layer.
  GuidedAlignment(const EncodedPairs& pairs, const TranslationModel& model);

  // What a batch teaches, with `factor` of the loss of each linked token: `passes` times, where the
  // batch is read several times in a row.
  std::shared_ptr<const AttentionGuide> of(const TranslationBatch& batch, int passes,
                                           float factor) const;

  // The share of the target tokens that have a link.
  double linked(const EncodedPairs& pairs) const;

 private:
  WordAligner aligner_;
  std::string module_;
};

}  // namespace attend
