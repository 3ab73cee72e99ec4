// A tokenizer as entries of a GGUF file: the other direction of gguf_tokenizer.h.
#pragma once

#include <string>
#include <vector>

#include "attend/interchange/formats/gguf/gguf_writing.h"
#include "attend/tasks/language/model.h"

namespace attend {

struct WrittenGgufTokenizer {
  std::vector<std::string> remarks = {};  // what the user should know
  bool lacks_normalizer = false;          // which llama.cpp does not have
};

// Adds the vocabulary, the special tokens and the chat template. Throws ConfigError that names what
// llama.cpp cannot express.
WrittenGgufTokenizer add_gguf_tokenizer(const LanguageModel& model, GgufEntries& entries);

}  // namespace attend
