// Beam search; greedy search with a beam of 1.
#pragma once

#include <cstdint>
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

// The n_best hypotheses of each sentence, best first. A hypothesis ends with eos or, if eos is -1,
// only at max_length. A sentence is done when beam_size hypotheses have ended; it then leaves the
// batch. Ties are broken by lower hypothesis, then lower token id. Throws ConfigError, or DataError
// for NaN probabilities.
std::vector<std::vector<Hypothesis>> beam_search(Scorer& scorer, std::int32_t eos,
                                                 const BeamSearchOptions& options);

}  // namespace attend
