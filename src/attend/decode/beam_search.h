// Beam search; greedy search with a beam of 1.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "attend/core/options.h"
#include "attend/decode/hypothesis.h"
#include "attend/decode/scorer.h"
#include "attend/search.h"

namespace attend {

// The memory of a search grows with the number of hypotheses.
inline constexpr NumberRange kBeamSizes = between(1, 1024);
inline constexpr NumberRange kLengthPenalties = between(-10, 10);
inline constexpr NumberRange kOutputLengths = between(0, 1e6);

template <class Visitor>
void fields(BeamSearchOptions& o, Visitor&& visit) {
  visit("beam-size", o.beam_size, kBeamSizes, "hypotheses kept at every step; 1: greedy search");
  visit("length-penalty", o.length_penalty, kLengthPenalties,
        "scores are log-probabilities divided by length^penalty; 0 favors short outputs, above 1 "
        "long ones");
  visit("n-best", o.n_best, kBeamSizes,
        "outputs for each sentence: the best of beam search, or samples");
  visit("max-length", o.max_length, kOutputLengths,
        "longest output in tokens; 0: twice the source plus 50");
  visit("min-length", o.min_length, kOutputLengths, "shortest output in tokens");
  visit("no-repeat-ngram", o.no_repeat_ngram, kOutputLengths,
        "length in tokens of the sequences that are never written twice; 0: all may be repeated");
}

// Throws ConfigError.
void check_search(const BeamSearchOptions& options);

// The search for one sentence. It is done when beam_size hypotheses have ended, with eos or, if eos
// is -1, only at the greatest length. Ties are broken by lower hypothesis, then lower token id.
class BeamSearch {
 public:
  // Hears every step; what it throws is the outcome of the search.
  using Listener = std::function<void(const BeamStep&)>;

  // Throws ConfigError.
  BeamSearch(const Arrival& sentence, std::int32_t eos, const BeamSearchOptions& options,
             Listener listener = {});
  BeamSearch(BeamSearch&&) noexcept;
  BeamSearch& operator=(BeamSearch&&) noexcept;
  ~BeamSearch();

  // The hypotheses that go on: none when done, at first the one of the arrival.
  std::span<const Continuation> continuations() const { return continuations_; }
  // How many of the most likely next tokens of each it needs.
  int candidates() const;
  // Chooses among these tokens; the continuations are rows `first` .. of `best`. Throws
  // NotFiniteError for NaN probabilities.
  void advance(const BestTokens& best, std::int64_t first, const Scorer& scorer);
  // When done: the n_best hypotheses, best first.
  std::vector<Hypothesis> take_results();

 private:
  struct Live;
  struct Candidate;
  std::vector<Candidate> best_candidates(const BestTokens& best, std::int64_t first,
                                         const Scorer& scorer) const;
  float score(float log_probability, std::size_t length) const;
  void finish(Hypothesis hypothesis);
  void truncate_live();
  void continue_live();
  // Tells the listener about a step; `after`: the fate of hypotheses that were kept in it.
  void tell(std::span<const Candidate> candidates, std::int64_t length, BeamFate after) const;

  BeamSearchOptions options_;
  Listener listener_;
  std::int32_t eos_;
  std::int32_t first_token_;  // that was read before the first one is written
  std::int64_t longest_;
  std::vector<Live> live_;  // best first
  std::vector<Continuation> continuations_;
  std::vector<Hypothesis> finished_;
};

// The n_best hypotheses of each sentence that has joined the scorer, best first. Throws
// ConfigError, or DataError for NaN probabilities.
std::vector<std::vector<Hypothesis>> beam_search(Scorer& scorer, std::int32_t eos,
                                                 const BeamSearchOptions& options);

}  // namespace attend
