// A classifier's own check, as golden_sentences.h is a translator's: a few token sequences, drawn at random from the vocabulary, and the
// log-probabilities of the classes that the model gave them when it was saved.
//
//   attend.golden  [{"text": [ids, eos], "log_probabilities": [-0.2, -1.7]}, ...]
#pragma once

#include <cstdint>
#include <vector>

#include "attend/tasks/classification/model.h"

namespace attend {

struct GoldenText {
  std::vector<std::int32_t> text;        // as ClassificationModel::ids() would give it
  std::vector<float> log_probabilities;  // of the classes
};

// Makes them, with what `checkpoint`, a whole classification model, computes. Replaces older ones.
void add_golden_texts(Checkpoint& checkpoint);

// Those in the file; empty when it has none. Throws DataError when they are damaged.
std::vector<GoldenText> golden_texts(const Checkpoint& checkpoint);

// The largest difference between a log-probability in the file and the present one, over 1 + its size: some 1e-6 when all is well.
double golden_deviation(const ClassificationModel& model, const std::vector<GoldenText>& golden);

}  // namespace attend
