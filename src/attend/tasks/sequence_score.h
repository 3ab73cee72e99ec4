// How likely a given sequence is.
#pragma once

#include <cstdint>
#include <vector>

namespace attend {

struct SequenceScore {
  float log_probability = 0;        // natural logarithm, of all tokens and the end
  std::vector<float> token_scores;  // of each token, and of the end
  std::int64_t characters = 0;      // of a line that a language model scored: its code points and its end
};

}  // namespace attend
