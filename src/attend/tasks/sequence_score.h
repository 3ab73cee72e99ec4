// How likely a given sequence is.
#pragma once

#include <vector>

namespace attend {

struct SequenceScore {
  float log_probability = 0;        // natural logarithm, of all tokens and the end
  std::vector<float> token_scores;  // of each token, and of the end
};

}  // namespace attend
