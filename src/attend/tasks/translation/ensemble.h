// Translation models that write the same tokens, to translate together: the arithmetic mean of
// their probabilities of every token, as in fairseq (Ott et al. 2019). Marian sums their
// log-probabilities instead. Vaswani et al. 2017 average the parameters of checkpoints, as `attend
// average` does.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "attend/metrics.h"
#include "attend/tasks/translation/model.h"

namespace attend {

class TranslationEnsemble {
 public:
  using Models = std::vector<std::shared_ptr<const TranslationModel>>;

  // At least one model. Throws DataError, which names the file of a model that reads or writes
  // other tokens than the first.
  explicit TranslationEnsemble(Models models);

  // Its tokenizers, languages and defaults are those of all.
  const TranslationModel& first() const { return *models_.front(); }
  const Models& models() const { return models_; }
  bool has_several() const { return models_.size() > 1; }
  // Positions of the model with the fewest; 0: any length.
  std::int64_t longest_input() const;
  // Target tokens that a model never writes.
  std::vector<std::int32_t> suppressed() const;

  // As score_pairs(), by the mean of the probabilities.
  std::vector<SequenceScore> score(const PairSpecialTokens& marks,
                                   std::span<const std::vector<std::int32_t>> src,
                                   std::span<const std::vector<std::int32_t>> tgt) const;

 private:
  Models models_;
};

}  // namespace attend
