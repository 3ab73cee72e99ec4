// Sampling from the model's distribution, with temperature, top-k and top-p (nucleus sampling,
// Holtzman et al. 2020).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "attend/core/options/options.h"
#include "attend/core/random/random.h"
#include "attend/decode/hypothesis.h"
#include "attend/decode/output_rules.h"
#include "attend/decode/scorers/scorer.h"
#include "attend/search.h"

namespace attend {

// What probabilities can be shown at.
inline constexpr NumberRange kTemperatures = between(1e-6, 1e6);

template <class Visitor>
void fields(SamplingOptions& o, Visitor&& visit) {
  visit("temperature", o.temperature, between(0, kTemperatures.most),
        "sampling: temperature that logits are divided by; 0: always the most likely token");
  visit("top-k", o.top_k, between(-1, kVocabularySizes.most),
        "sampling: draw among the k most likely tokens; 0 or -1: all");
  visit("top-p", o.top_p, between(0, 1),
        "sampling: draw among the most likely tokens that together have this probability");
  visit("seed", o.seed, any_seed(), "sampling: random seed");
}

// A token that was drawn.
struct DrawnToken {
  std::int32_t token = 0;  // -1: none may come, as its sample may contain none of them
  float score = 0;         // the model's log-probability, before temperature and all changes
  std::vector<ScoredToken> likeliest = {};  // by the same log-probabilities
};

// Some samples for one sentence, each from a stream (seed, stream) of random numbers: results do
// not depend on other samples and sentences. A sample ends with an end token or, if there are none,
// only at the greatest length.
class Sampling {
 public:
  // The phrases of the rules are forbidden ones; they have no beginning. Throws ConfigError;
  // DataError if the forced tokens contain one.
  Sampling(const DecodeRequest& sentence, EndTokens ends, const SamplingOptions& options,
           std::span<const std::uint64_t> streams, OutputRules rules = {});

  // The unfinished samples: none when done.
  std::span<const NextToken> continuations() const { return continuations_; }
  TokenFilter filter() const;
  // Asks for the most likely tokens at the place of each token.
  void report_likeliest(int count) { likeliest_ = count; }
  int likeliest() const { return likeliest_; }
  // How the logits of each are changed before a token is drawn.
  std::vector<LogitChange> logit_changes() const;
  // The next uniform number of each of them.
  std::vector<float> uniform();
  // Adds a token to each of them; a sample without one is cut. Throws NotFiniteError for NaN
  // scores.
  void advance(std::span<const DrawnToken> drawn);
  // The samples so far, in the order of the streams.
  const std::vector<Hypothesis>& samples() const { return samples_; }
  std::vector<Hypothesis> take_results() { return std::move(samples_); }

 private:
  LogitChange logit_change(std::size_t sample) const;

  SamplingOptions options_;
  OutputRules rules_;
  EndTokens ends_;
  std::vector<std::int32_t> prompt_;  // before the samples
  std::int64_t longest_;
  int likeliest_ = 0;
  std::vector<Random> random_;                   // of each sample
  std::vector<Hypothesis> samples_;              // so far
  std::vector<PhraseRules::Progress> progress_;  // of each sample
  std::vector<std::size_t> active_;              // samples that go on
  std::vector<NextToken> continuations_;
};

// One sample for each sentence that has joined the scorer, from its stream. Throws ConfigError, or
// DataError for NaN probabilities.
std::vector<Hypothesis> sample(Scorer& scorer, std::int32_t eos, const SamplingOptions& options,
                               std::span<const std::uint64_t> stream_of_sentence,
                               const OutputRules& rules = {});

}  // namespace attend
