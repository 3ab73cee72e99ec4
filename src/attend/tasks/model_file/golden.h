// Golden samples, a model's self-test: a few inputs with the log-probabilities that the finished
// model gave them. attend.golden is a JSON array of
//
//   {"src": [ids, eos], "tgt": [ids], "log_probability": -37.2}    for a translation model
//   {"text": [ids, eos], "log_probabilities": [-0.2, -1.7]}        for a classifier, one per class
//   {"ids": [eos, ids], "log_probability": -37.2}                  for a language model
//   {"text": [bos, ids, eos], "vector": [0.02, -0.11, ...]}        for an embedding model
//
// They show whether another machine, with other kernels, computes the same. The ids are random, so
// the file reveals nothing of the training text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "attend/checkpoint/checkpoint.h"
#include "attend/core/random/random.h"
#include "attend/model_file.h"
#include "attend/tasks/model_file/saved_model.h"

namespace attend {

inline constexpr const char* kGoldenKey = "attend.golden";

struct GoldenSample {
  GoldenInput input;
  std::vector<float> output;  // log-probabilities, natural logarithm; or a vector
};

// Draws the inputs, equal for equal vocabularies, and computes the outputs with the network of
// `model`. Replaces existing samples of the checkpoint. Throws NotFiniteError if a log-probability
// is not finite.
void add_golden_samples(Checkpoint& checkpoint, const SavedModel& model);

// The samples of the checkpoint; empty if it has none. Throws DataError if they do not have the
// form above.
std::vector<GoldenSample> golden_samples(const Checkpoint& checkpoint, const SavedModel& model);

// Compares the network's outputs now with the recorded ones. Throws DataError for samples outside
// this model's vocabularies.
ModelCheck check_golden_samples(const SavedModel& model, const std::vector<GoldenSample>& samples);

// For SavedModel::random_input(): 4 to 9 ids, uniform over the vocabulary.
std::vector<std::int32_t> random_ids(Random& random, const Tokenizer& tokenizer);

}  // namespace attend
