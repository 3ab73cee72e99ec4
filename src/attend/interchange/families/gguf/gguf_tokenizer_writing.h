// A tokenizer as entries of a GGUF file: the other direction of gguf_tokenizer.h.
#pragma once

#include <string>
#include <vector>

#include "attend/interchange/formats/gguf/gguf_writing.h"
#include "attend/tasks/language/model.h"

namespace attend {

// Adds the vocabulary, the special tokens and the chat template. Returns what the user should know.
// Throws ConfigError that names what llama.cpp cannot express.
std::vector<std::string> add_gguf_tokenizer(const LanguageModel& model, GgufEntries& entries);

}  // namespace attend
