// Sampling from the model's distribution, with temperature, top-k and top-p (nucleus sampling,
// Holtzman et al. 2020).
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "attend/core/options.h"
#include "attend/core/random.h"
#include "attend/decode/hypothesis.h"
#include "attend/decode/scorer.h"
#include "attend/search.h"

namespace attend {

template <class Visitor>
void fields(SamplingOptions& o, Visitor&& visit) {
  visit("temperature", o.temperature, between(1e-6, 1e6),
        "sampling: temperature that logits are divided by");
  visit("top-k", o.top_k, between(0, kVocabularySizes.most),
        "sampling: draw among the k most likely tokens; 0: all");
  visit("top-p", o.top_p, above(0, 1),
        "sampling: draw among the most likely tokens that together have this probability");
  visit("seed", o.seed, any_seed(), "sampling: random seed");
}

// Incremental sampling: one hypothesis per sentence. Sentence s draws from the stream (seed,
// stream_of_sentence[s]), so its result does not depend on the others. A hypothesis ends with eos
// or, if eos is -1, only at the maximum length. Token scores are the model's log-probabilities,
// before temperature and Scorer::adjust().
class Sampler {
 public:
  // The scorer must outlive the sampler. Throws ConfigError.
  Sampler(Scorer& scorer, std::int32_t eos, const SamplingOptions& options,
          std::span<const std::uint64_t> stream_of_sentence);

  bool done() const { return rows_.empty(); }
  // Draws a token for every active sentence. Throws NotFiniteError for NaN probabilities.
  // Precondition: !done().
  void step();
  // The hypotheses so far.
  const std::vector<Hypothesis>& hypotheses() const { return results_; }

 private:
  std::int64_t max_length(std::int64_t sentence) const;
  std::vector<std::pair<std::int32_t, float>> draw();  // a token and its score for each row

  Scorer& scorer_;
  std::int32_t eos_;
  SamplingOptions options_;
  std::vector<Hypothesis> results_;
  std::vector<Random> random_;
  std::vector<std::int32_t> rows_, tokens_, sentences_;  // of the active sentences
};

// Samples all sentences to their end.
std::vector<Hypothesis> sample(Scorer& scorer, std::int32_t eos, const SamplingOptions& options,
                               std::span<const std::uint64_t> stream_of_sentence);

}  // namespace attend
