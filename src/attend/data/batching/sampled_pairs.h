// Training pairs with a new segmentation in every epoch.
#pragma once

#include <cstdint>

#include "attend/data/batching/pairs_of_epochs.h"
#include "attend/text/training/bpe_dropout.h"

namespace attend {

// BPE-dropout on both sides. The ids of a sentence are a function of (seed, epoch, index).
class SampledPairs final : public PairsOfEpochs {
 public:
  // `pairs` as encoded by the tokenizers. A sentence that would become longer than `longest`
  // tokens, end included, stays unchanged; 0: no limit.
  SampledPairs(EncodedPairs pairs, BpeDropout src, BpeDropout tgt, std::uint64_t seed,
               std::int64_t longest = 0);

  std::int64_t size() const override { return pairs_.src.sequences(); }

 private:
  EncodedPairs make(std::int64_t epoch) const override;

  EncodedPairs pairs_;
  BpeDropout src_;
  BpeDropout tgt_;
  std::uint64_t seed_;
  std::int64_t longest_;
};

}  // namespace attend
