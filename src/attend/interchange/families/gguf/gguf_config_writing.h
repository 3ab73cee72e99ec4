// The shape of a language model as entries of a GGUF file: the other direction of gguf_config.h.
#pragma once

#include <cstdint>
#include <string_view>

#include "attend/interchange/formats/gguf/gguf_writing.h"
#include "attend/models/language_transformer.h"

namespace attend {

// The architecture of llama.cpp that is nearest to the model. Throws ConfigError for positions that
// none has.
std::string_view gguf_architecture(const LanguageTransformerConfig& shape);

// `context`: the longest text in tokens.
void add_gguf_config(const LanguageTransformerConfig& shape, std::int64_t context,
                     GgufEntries& entries);

}  // namespace attend
