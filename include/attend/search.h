// How an output is searched for: beam search or sampling, for translators and generators.
#pragma once

#include <cstdint>

#pragma GCC visibility push(default)
namespace attend {

// Beam search keeps the best `beam_size` unfinished outputs at every step.
struct BeamSearchOptions {
  int beam_size = 5;            // 1: greedy
  float length_penalty = 1.0f;  // exponent: log-probabilities are divided by length^penalty; 0
                                // prefers short outputs, above 1 long ones
  int n_best = 1;               // outputs returned for each input, at most beam_size
  int max_length = 0;           // tokens; 0: twice the source and 50 more
  int min_length = 0;           // tokens before an output may end
};

// Sampling draws every token from the model's distribution. What is drawn is a function of the
// seed.
struct SamplingOptions {
  float temperature = 1.0f;  // logits are divided by it
  int top_k = 0;             // draw among the k likeliest tokens; 0: all
  float top_p = 1.0f;        // draw among the likeliest tokens that together have this probability
  int max_length = 0;        // tokens; 0: twice the source and 50 more
  std::uint64_t seed = 1;
};

// A language model's memory of what it has read (continuous cache, Grave, Joulin and Usunier 2017):
// words that were used are likelier to be used again. Experimental.
struct ContinuousCacheOptions {
  int tokens = 0;       // remembered; 0: no cache
  float weight = 0.1f;  // share of the cache in the probability
  float beta = 1.0f;    // sharpness of the similarity of contexts

  bool used() const { return tokens > 0; }
};

}  // namespace attend
#pragma GCC visibility pop
