// A language model's own check, as golden_sentences.h is a translator's: a few token sequences, drawn at random from the vocabulary, and
// the log-probability that the model gave each when it was saved.
//
//   attend.golden  [{"ids": [eos, ids], "log_probability": -37.2}, ...]
#pragma once

#include <cstdint>
#include <vector>

#include "attend/tasks/language/model.h"

namespace attend {

struct GoldenPassage {
  std::vector<std::int32_t> ids;  // two or more, the first only read
  float log_probability = 0;      // of the others, natural logarithm
};

// Makes them, with the scores that `checkpoint`, a whole language model, gives. Replaces older ones.
void add_golden_passages(Checkpoint& checkpoint);

// Those in the file; empty when it has none. Throws DataError when they are damaged.
std::vector<GoldenPassage> golden_passages(const Checkpoint& checkpoint);

// The largest difference between a score in the file and the present one, over 1 + |score|: some 1e-6 when all is well. Throws DataError
// for ids that are none of the vocabulary.
double golden_deviation(const LanguageModel& model, const std::vector<GoldenPassage>& golden);

}  // namespace attend
