// Training pairs that are cut into pieces anew in every epoch.
#pragma once

#include <cstdint>
#include <mutex>

#include "attend/data/batcher.h"
#include "attend/text/bpe_dropout.h"

namespace attend {

// Both sides by BPE-dropout. What a sentence becomes is a function of (seed, epoch, its number).
class SampledPairs final : public PairSource {
 public:
  // `pairs` as the tokenizers cut them. With its end, no sentence becomes longer than `longest`
  // tokens: one that would stays as it is; 0: any length.
  SampledPairs(EncodedPairs pairs, BpeDropout src, BpeDropout tgt, std::uint64_t seed,
               std::int64_t longest = 0);

  // Keeps the latest epoch.
  std::shared_ptr<const EncodedPairs> pairs(std::int64_t epoch) const override;

 private:
  std::shared_ptr<const EncodedPairs> sample(std::int64_t epoch) const;

  EncodedPairs pairs_;
  BpeDropout src_;
  BpeDropout tgt_;
  std::uint64_t seed_;
  std::int64_t longest_;

  mutable std::mutex mutex_;
  mutable std::int64_t latest_epoch_ = -1;
  mutable std::shared_ptr<const EncodedPairs> latest_;
};

}  // namespace attend
