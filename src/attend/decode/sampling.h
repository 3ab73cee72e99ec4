// Sampling from the model's distribution, with temperature, top-k and top-p (nucleus, Holtzman et al. 2020).
#pragma once

#include <cstdint>
#include <vector>

#include "attend/core/options.h"
#include "attend/decode/beam_search.h"

namespace attend {

struct SamplingOptions {
  float temperature = 1.0f;
  int top_k = 0;       // sample among the k likeliest; 0: all
  float top_p = 1.0f;  // sample among the likeliest that together have this probability
  int max_length = 0;  // tokens; 0: what the model finds sensible
  std::uint64_t seed = 1;
};

template <class Visitor>
void fields(SamplingOptions& o, Visitor&& visit) {
  visit("temperature", o.temperature, between(1e-6, 1e6), "sampling: logits are divided by it");
  visit("top-k", o.top_k, between(0, kVocabularySizes.most), "sampling: among the k likeliest tokens; 0: all");
  visit("top-p", o.top_p, above(0, 1), "sampling: among the likeliest tokens that together have this probability");
  visit("sampling-seed", o.seed, any_seed(), "sampling: what is drawn is a function of it");
}

// One hypothesis for each sentence. Sentence s draws from a stream of (seed, stream_of_sentence[s]): what it gets does not depend on the
// others. Throws ConfigError, or DataError for probabilities that are NaN.
std::vector<Hypothesis> sample(StepModel& model, const SpecialTokens& special, const SamplingOptions& options,
                               std::span<const std::uint64_t> stream_of_sentence);

// Draws one token from a row of log-probabilities with a uniform number in [0, 1). Precondition: valid options. Throws DataError when there
// is no probability in it.
std::int32_t sample_token(std::span<const float> log_probabilities, const SamplingOptions& options, float uniform);

}  // namespace attend
