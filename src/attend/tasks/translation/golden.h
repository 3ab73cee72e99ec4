// A model's own check: a few token sequences and the log-probability that the model gave them when it was saved.
//
//   attend.golden  [{"src": [ids, eos], "tgt": [ids], "log_probability": -37.2}, ...]
//
// Whoever loads the model on another machine, with other kernels, can see that it still computes the same. The sequences are drawn at
// random from the vocabulary, so that nothing of the training text is in the file.
#pragma once

#include <cstdint>
#include <vector>

#include "attend/tasks/translation/model.h"

namespace attend {

struct GoldenSentence {
  std::vector<std::int32_t> src;  // ends with eos
  std::vector<std::int32_t> tgt;  // neither bos nor eos
  float log_probability = 0;      // natural logarithm
};

// Makes them, with the scores that `checkpoint`, a whole translation model, gives. Replaces older ones.
void add_golden_sentences(Checkpoint& checkpoint);

// Those in the file; empty when it has none. Throws DataError when they are damaged.
std::vector<GoldenSentence> golden_sentences(const Checkpoint& checkpoint);

// The largest difference between a score in the file and the present one, over 1 + |score|: some 1e-6 when all is well.
double golden_deviation(const TranslationModel& model, const std::vector<GoldenSentence>& golden);
inline constexpr double kGoldenTolerance = 1e-4;

}  // namespace attend
