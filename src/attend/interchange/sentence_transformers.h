// Directories of sentence-transformers: a network of Hugging Face, and files that say how a text
// becomes one vector.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "attend/interchange/model_directory.h"
#include "attend/models/text_pooling.h"
#include "attend/tasks/text_encoder.h"

namespace attend {

// A linear layer after pooling, whose weights are in a folder of their own.
struct DenseModule {
  std::string folder;
  int width = 0;
  Activation activation = Activation::tanh;
  bool bias = true;
};

inline constexpr std::size_t kMostDense = 2;

struct SentenceModules {
  std::vector<Pooling> poolings{Pooling::mean};
  std::vector<DenseModule> dense = {};  // at most kMostDense, with equal activations and biases
  bool normalize = false;
  int length = 0;  // tokens of the longest text, special ones included
  TextPrompts prompts = {};
  bool pools_prompt = true;
  Similarity similarity = Similarity::cosine;
};

bool is_sentence_transformer(const ModelDirectory& directory);

// Reads modules.json and the files it names, for a network with vectors of this width; what they do
// not say stays as it is. Throws DataError that names the module or the setting that is not
// supported.
void read_sentence_modules(const ModelDirectory& directory, std::int64_t width,
                           SentenceModules& modules);

// What a cross-encoder has beside its network.
struct CrossEncoderModules {
  std::string activation = {};  // of the outputs: the name of a class of PyTorch; empty: unsaid
  int length = 0;               // tokens of the longest pair, special ones included
};

// The same for a directory that sentence-transformers 6 has written of a cross-encoder; of others
// all stays as it is.
void read_cross_encoder_modules(const ModelDirectory& directory, CrossEncoderModules& modules);

// The other direction: modules.json and the files it names, for a network in the directory itself.
TextFiles write_sentence_modules(const SentenceModules& modules, std::int64_t width);

}  // namespace attend
