// Beam search; with a beam of one, greedy search.
#pragma once

#include <cstdint>
#include <vector>

#include "attend/decode/hypothesis.h"
#include "attend/decode/step_model.h"

namespace attend {

struct BeamSearchOptions {
  int beam_size = 5;            // 1: greedy
  float length_penalty = 1.0f;  // exponent: log-probabilities are divided by length^penalty; 0 prefers short outputs, above 1 long ones
  int n_best = 1;               // hypotheses returned for each sentence, at most beam_size
  int max_length = 0;           // tokens; 0: what the model finds sensible
  int min_length = 0;           // tokens before eos is allowed
};

template <class Visitor>
void fields(BeamSearchOptions& o, Visitor&& visit) {
  visit("beam-size", o.beam_size, "hypotheses kept at every step; 1: greedy search");
  visit("length-penalty", o.length_penalty, "scores are log-probabilities divided by length^penalty");
  visit("n-best", o.n_best, "hypotheses printed for each sentence");
  visit("max-length", o.max_length, "longest output in tokens; 0: twice the source and 50 more");
  visit("min-length", o.min_length, "shortest output in tokens");
}

struct SpecialTokens {
  std::int32_t bos;
  std::int32_t eos;
};

// For each sentence the n_best hypotheses, best first. A sentence is done when beam_size hypotheses have ended; it then leaves the batch.
// Equal scores are broken by the lower hypothesis, then the lower token id. Throws ConfigError, or DataError for probabilities that are
// NaN.
std::vector<std::vector<Hypothesis>> beam_search(StepModel& model, const SpecialTokens& special, const BeamSearchOptions& options);

}  // namespace attend
