// Options of beam search and sampling, for translators and generators.
#pragma once

#include <cstdint>
#include <vector>

#pragma GCC visibility push(default)
namespace attend {

// Beam search keeps the best `beam_size` unfinished outputs at every step. Lengths, n_best,
// no_repeat_ngram and repetition_penalty also apply to samples. Values out of range are a
// ConfigError.
struct BeamSearchOptions {
  int beam_size = 5;            // 1 .. 1024; 1: greedy
  float length_penalty = 1.0f;  // -10 .. 10, exponent: log-probabilities are divided by
                                // length^penalty; 0 favors short outputs, above 1 long ones
  int n_best = 1;               // outputs per input, at most beam_size
  int max_length = 0;           // tokens; 0: twice the source plus 50
  int min_length = 0;           // tokens before an output may end
  int no_repeat_ngram = 0;      // length of the n-grams that are never repeated; 0: any may be
  // Positive logits of tokens that are already in the output are divided by this, negative ones
  // multiplied (Keskar et al. 2019); 1: off
  float repetition_penalty = 1.0f;
  // The search ends when it has beam_size times this many outputs (Kasai et al. 2022); 0.001 ..
  // 1000
  float patience = 1.0f;
};

// What minimum-Bayes-risk decoding compares outputs by: the score of one with another one as its
// reference, as sentence_chrf() and sentence_bleu() (attend/metrics.h) have it by default, or as a
// model does (attend/quality.h).
enum class Utility { none, chrf, bleu, comet };

// What became of a candidate of beam search.
enum class BeamFate {
  pruned,  // others were better, or the search was over
  kept,    // continues in the next step
  ended,   // an output that ends with eos
  cut      // an output of the maximum length
};

// A hypothesis with one more token.
struct BeamCandidate {
  int parent = 0;             // index of the extended hypothesis among those kept in the previous
                              // step; 0 in the first step
  std::int32_t token = 0;     // id
  float token_score = 0;      // natural log-probability of the token
  float log_probability = 0;  // of the hypothesis with the token
  float score = 0;            // log_probability / length^length_penalty
  BeamFate fate = BeamFate::pruned;
};

// A step of beam search for one sentence: the most likely continuations of every hypothesis, at
// least beam_size + 1 of each if there are that many. The kept candidates are the hypotheses of the
// next step, in this order. A step depends only on its sentence and the options.
struct BeamStep {
  int written = 0;  // length of the hypotheses before the step, prefix included
  std::vector<BeamCandidate> candidates;  // most probable first
};

// Sampling draws every token from the model's distribution. Results are a function of the seed.
struct SamplingOptions {
  float temperature = 1.0f;  // divides the logits, at most 1e6; 0: always the most likely token
  int top_k = 0;             // draw among the k most likely tokens; 0 or -1: all
  // Draw among the most likely tokens that together have this probability, at least one; 0 .. 1
  float top_p = 1.0f;
  int max_length = 0;  // tokens; 0: twice the source plus 50
  std::uint64_t seed = 1;
};

// A token and its log-probability (natural logarithm).
struct ScoredToken {
  std::int32_t id = 0;
  float score = 0;
};

// A continuous cache for language models (Grave, Joulin and Usunier 2017): words used recently
// become more likely. Experimental.
struct ContinuousCacheOptions {
  int tokens = 0;       // tokens to remember; 0: no cache
  float weight = 0.1f;  // share of the cache in the probability
  float beta = 1.0f;    // sharpness of the similarity

  bool used() const { return tokens > 0; }
};

}  // namespace attend
#pragma GCC visibility pop
