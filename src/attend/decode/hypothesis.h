// A finished output of decoding.
#pragma once

#include <cstdint>
#include <vector>

#include "attend/search.h"

namespace attend {

struct Hypothesis {
  std::vector<std::int32_t> ids;    // excluding bos and eos
  float score = 0;                  // log_probability / (tokens including eos)^length_penalty
  float log_probability = 0;        // natural logarithm, including eos
  std::vector<float> token_scores;  // log-probability of each token, including eos
  bool complete = true;             // false if truncated at the length limit
  std::int32_t end = -1;            // the token that ended it; -1: none did
  // The most likely tokens at the place of each, most likely first; empty unless asked for
  std::vector<std::vector<ScoredToken>> likeliest = {};
};

}  // namespace attend
