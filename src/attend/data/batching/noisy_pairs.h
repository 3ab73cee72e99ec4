// Training pairs whose sources have slips of careless writers, others in every epoch.
#pragma once

#include <cstdint>

#include "attend/data/batching/pairs_of_epochs.h"
#include "attend/text/tokenizer.h"

namespace attend {

// The source of a pair is a function of (seed, epoch, index).
class NoisyPairs final : public PairsOfEpochs {
 public:
  // `pairs` as encoded by the tokenizers; `share` of their sources have noise (text_noise.h). One
  // that would become empty or longer than `longest` tokens, end included, stays as it is.
  NoisyPairs(EncodedPairs pairs, Tokenizer source, float share, std::uint64_t seed,
             std::int64_t longest);

  std::int64_t size() const override { return pairs_.src.sequences(); }

 private:
  EncodedPairs make(std::int64_t epoch) const override;

  EncodedPairs pairs_;
  Tokenizer source_;
  float share_;
  std::uint64_t seed_;
  std::int64_t longest_;
};

}  // namespace attend
