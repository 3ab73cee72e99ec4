// Golden samples, a model's check of itself: a few inputs, and the log-probabilities that the
// network gave them when the model was finished.
//
//   attend.golden  of a translation model  [{"src": [ids, eos], "tgt": [ids], "log_probability":
//   -37.2}, ...]
//                  of a classifier         [{"text": [ids, eos], "log_probabilities": [-0.2,
//                  -1.7]}, ...], one of each class of a language model     [{"ids": [eos, ids],
//                  "log_probability": -37.2}, ...]
//
// Whoever loads the model on another machine, with other kernels, can see whether it still computes
// the same. The ids are drawn at random from the vocabulary, so nothing of the training text is in
// the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "attend/checkpoint/checkpoint.h"
#include "attend/core/random.h"
#include "attend/model_file.h"
#include "attend/tasks/saved_model.h"

namespace attend {

inline constexpr const char* kGoldenKey = "attend.golden";

struct GoldenSample {
  GoldenInput input;
  std::vector<float> output;  // log-probabilities, natural logarithm
};

// Draws the inputs, the same for equal vocabularies, and computes the outputs with the network of
// `model`. Replaces older samples of the checkpoint. Throws NotFiniteError when the network gives a
// log-probability that is not finite.
void add_golden_samples(Checkpoint& checkpoint, const SavedModel& model);

// Those of the checkpoint; empty when it has none. Throws DataError when they do not have the form
// above.
std::vector<GoldenSample> golden_samples(const Checkpoint& checkpoint, const SavedModel& model);

// What the network computes now against what it computed then. Throws DataError for samples that
// are not of this model's vocabularies.
ModelCheck check_golden_samples(const SavedModel& model, const std::vector<GoldenSample>& samples);

// For SavedModel::random_input(): 4 to 9 ids of the vocabulary, each as likely as any other.
std::vector<std::int32_t> random_ids(Random& random, const Tokenizer& tokenizer);

}  // namespace attend
