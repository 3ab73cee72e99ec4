// The tokenizer in the metadata of a GGUF file, in the files that a directory of Hugging Face has.
#pragma once

#include "attend/interchange/foreign_config.h"
#include "attend/interchange/model_directory.h"

namespace attend {

struct GgufTokenizer {
  TextFiles files;  // tokenizer.json, tokenizer_config.json and generation_config.json
  std::int64_t pieces = 0;
};

// Throws DataError for what is not supported. It cuts a text as llama.cpp does.
GgufTokenizer read_gguf_tokenizer(ForeignConfig& metadata);

}  // namespace attend
