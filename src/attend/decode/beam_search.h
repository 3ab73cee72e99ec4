// Beam search; with a beam of one, greedy search.
#pragma once

#include <cstdint>
#include <vector>

#include "attend/core/options.h"
#include "attend/decode/hypothesis.h"
#include "attend/decode/scorer.h"
#include "attend/search.h"

namespace attend {

// The memory of a search grows with its hypotheses, whatever they are worth.
inline constexpr NumberRange kBeamSizes = between(1, 1024);
inline constexpr NumberRange kLengthPenalties = between(-10, 10);

template <class Visitor>
void fields(BeamSearchOptions& o, Visitor&& visit) {
  visit("beam-size", o.beam_size, kBeamSizes, "hypotheses kept at every step; 1: greedy search");
  visit("length-penalty", o.length_penalty, kLengthPenalties,
        "scores are log-probabilities divided by length^penalty; 0 favors short outputs, above 1 "
        "long ones");
  visit("n-best", o.n_best, kBeamSizes,
        "outputs for each sentence: the best of beam search, or samples");
  visit("max-length", o.max_length, between(0, 1e6),
        "longest output in tokens; 0: twice the source plus 50");
  visit("min-length", o.min_length, between(0, 1e6), "shortest output in tokens");
}

// For each sentence the n_best hypotheses, best first. A hypothesis ends with eos, or, when eos is
// -1, at max_length alone. A sentence is done when beam_size hypotheses have ended; it then leaves
// the batch. Equal scores are broken by the lower hypothesis, then the lower token id. Throws
// ConfigError, or DataError for probabilities that are NaN.
std::vector<std::vector<Hypothesis>> beam_search(Scorer& scorer, std::int32_t eos,
                                                 const BeamSearchOptions& options);

}  // namespace attend
