// A finished output of decoding.
#pragma once

#include <cstdint>
#include <vector>

namespace attend {

struct Hypothesis {
  std::vector<std::int32_t> ids;    // without bos and eos
  float score = 0;                  // log_probability / (tokens with eos)^length_penalty
  float log_probability = 0;        // natural logarithm, eos included
  std::vector<float> token_scores;  // log-probability of each token, eos included
  bool complete = true;             // false when it was cut at the length limit
};

}  // namespace attend
