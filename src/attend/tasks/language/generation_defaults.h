// How the makers of a model let it write, unless the user says otherwise.
#pragma once

#include "attend/core/options/options.h"
#include "attend/decode/beam_search.h"
#include "attend/decode/sampling.h"

namespace attend {

struct GenerationDefaults {
  float temperature = 1.0f;
  int top_k = 0;
  float top_p = 1.0f;
  float repetition_penalty = 1.0f;
  int no_repeat_ngram = 0;
  int min_tokens = 0;

  bool operator==(const GenerationDefaults&) const = default;
};

template <class Visitor>
void fields(GenerationDefaults& o, Visitor&& visit) {
  visit("temperature", o.temperature, kTemperatures, "default temperature");
  visit("top-k", o.top_k, between(0, kVocabularySizes.most), "default of top-k");
  visit("top-p", o.top_p, above(0, 1), "default of top-p");
  visit("repetition-penalty", o.repetition_penalty, kRepetitionPenalties,
        "default factor of tokens in the context");
  visit("no-repeat-ngram", o.no_repeat_ngram, kOutputLengths,
        "default length of the sequences that are never written twice");
  visit("min-tokens", o.min_tokens, between(0, 1e9), "default shortest continuation");
}

}  // namespace attend
