// The candidate sampler of sampled softmax: chooses the tokens of a batch's training loss, so that
// a large vocabulary costs little.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "attend/ops/losses/sampled_cross_entropy.h"

namespace attend {

class OutputSampler {
 public:
  // Token v is in a sample with probability min(1, c count(v)^0.75), where count is its frequency
  // in `stream` (1 if 0) and c makes a sample have `expected` tokens on average. Frequent tokens,
  // which dominate the normalizer, are therefore always included. Throws ConfigError unless 1 <=
  // expected <= vocab_size, ShapeError for tokens outside the vocabulary.
  OutputSampler(std::span<const std::int32_t> stream, std::int32_t vocab_size,
                std::int64_t expected, std::uint64_t seed);

  // A function of (seed, epoch, batch).
  ClassSample draw(std::int64_t epoch, std::int64_t batch) const;

  std::int64_t always() const;  // number of tokens that are in every sample

 private:
  std::vector<float> probability_;  // of each token
  std::uint64_t seed_;
};

}  // namespace attend
