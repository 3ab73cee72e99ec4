// Models of llama.cpp: a GGUF file with a language model and its tokenizer.
#pragma once

#include <filesystem>
#include <string>

#include "attend/interchange/foreign_model.h"

namespace attend {

struct GgufModel {
  ForeignModel foreign;
  TensorTable weights;
  std::string family;         // of the models of Hugging Face that compute the same: "llama"
  bool is_quantized = false;  // whether some weights are in blocks of a few bits
};

// Whether it is a file that begins as GGUF files do.
bool is_gguf(const std::filesystem::path& path);

// Throws IoError, and DataError for what is not supported.
GgufModel open_gguf(const std::filesystem::path& path);

}  // namespace attend
