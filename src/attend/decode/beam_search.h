// Beam search; greedy search with a beam of 1.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "attend/core/options/options.h"
#include "attend/decode/hypothesis.h"
#include "attend/decode/output_rules.h"
#include "attend/decode/scorers/scorer.h"
#include "attend/search.h"

namespace attend {

// The memory of a search grows with the number of hypotheses.
inline constexpr NumberRange kBeamSizes = between(1, 1024);
inline constexpr NumberRange kLengthPenalties = between(-10, 10);
inline constexpr NumberRange kOutputLengths = between(0, 1e6);
inline constexpr NumberRange kRepetitionPenalties = between(1e-6, 1e6);
inline constexpr NumberRange kPatiences = between(0.001, 1000);

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
        "never write an n-gram of this many tokens twice; 0: repetitions are allowed");
  visit("repetition-penalty", o.repetition_penalty, kRepetitionPenalties,
        "divide positive logits of tokens already in the output by this, multiply negative ones; "
        "1: off");
  visit(
      "patience", o.patience, kPatiences,
      "end beam search with beam-size times this many outputs; above 1: slower, sometimes better");
}

// Throws ConfigError.
void check_search(const BeamSearchOptions& options);

// How many outputs end the search.
std::size_t most_outputs(const BeamSearchOptions& options);

// Hypothesis::score of an output of so many tokens, its end included.
float normalized_score(float log_probability, std::size_t tokens, const BeamSearchOptions& options);

// The search for one sentence. It is done when beam_size * patience hypotheses have ended, with an
// end token or, if there are none, only at the greatest length. Ties are broken by lower
// hypothesis, then lower token id.
class BeamSearch {
 public:
  // Hears every step; what it throws is the outcome of the search.
  using Listener = std::function<void(const BeamStep&)>;

  // The options replace lengths, n-grams and penalty of the rules, of which required phrases are
  // written whatever that costs. Throws ConfigError; DataError if there is no room for the required
  // phrases, and if the forced tokens contain a forbidden one.
  BeamSearch(const DecodeRequest& sentence, EndTokens ends, const BeamSearchOptions& options,
             const OutputRules& rules = {}, Listener listener = {});
  BeamSearch(BeamSearch&&) noexcept;
  BeamSearch& operator=(BeamSearch&&) noexcept;
  ~BeamSearch();

  // The unfinished hypotheses: none when done, at first the one of the arrival.
  std::span<const NextToken> continuations() const { return continuations_; }
  // How many of the most likely next tokens of each it needs.
  int candidates() const { return static_cast<int>(looked_at_ + rules_.suppressed.size()); }
  // How the logits of each are changed before these are looked for.
  std::vector<LogitChange> logit_changes() const;
  // Chooses among these tokens; the continuations are rows `first` .. of `best`. Asks the scorer
  // for the probabilities of required tokens, which are then its columns. Throws NotFiniteError for
  // NaN probabilities; DataError if it finds no output with all required phrases, because forbidden
  // ones or repetitions leave no room for them.
  void advance(const BestTokens& best, std::int64_t first, Scorer& scorer);
  // When done: the n_best hypotheses, best first.
  std::vector<Hypothesis> take_results();

 private:
  struct ActiveHypothesis;
  struct Candidate;
  struct Bank;
  void begin_phrases();
  // The tokens of a row that are looked at, best first, without those of probability 0.
  std::vector<ScoredToken> likeliest(const BestTokens& best, std::int64_t row,
                                     const Scorer& scorer) const;
  std::vector<Candidate> best_candidates(const BestTokens& best, std::int64_t first,
                                         Scorer& scorer) const;
  void add_candidate(std::size_t hypothesis, std::int32_t token, float token_score,
                     std::vector<Candidate>& all) const;
  // The tokens of required phrases and of the beginning that may come next; none of those that are
  // listed.
  std::vector<std::int32_t> required_not_in_candidates(std::size_t hypothesis,
                                                       std::span<const Candidate> listed) const;
  void select_eligible(std::vector<Candidate>& all) const;
  std::vector<Bank> banks(std::span<const Candidate> all) const;
  void finish(Hypothesis hypothesis);
  // Leaves those that have all required phrases. Throws DataError if there are none.
  void keep_complete_live();
  void truncate_live();
  void continue_live();
  // Tells the listener about a step; `after`: the fate of hypotheses that were kept in it.
  void tell(std::span<const Candidate> candidates, std::int64_t length, BeamFate after) const;

  BeamSearchOptions options_;
  OutputRules rules_;
  Listener listener_;
  EndTokens ends_;
  std::vector<std::int32_t> prompt_;  // before the output
  std::int64_t longest_;
  std::vector<ActiveHypothesis> live_;  // best first
  std::vector<NextToken> continuations_;
  std::size_t looked_at_ = 0;  // tokens of each continuation, beside suppressed ones
  std::vector<Hypothesis> finished_;
};

// The n_best hypotheses of each sentence that has joined the scorer, best first. Throws
// ConfigError, or DataError for NaN probabilities.
std::vector<std::vector<Hypothesis>> beam_search(Scorer& scorer, const EndTokens& ends,
                                                 const BeamSearchOptions& options,
                                                 const OutputRules& rules = {});

}  // namespace attend
