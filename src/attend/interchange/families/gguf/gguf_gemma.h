// What the Gemmas of llama.cpp have beside Llama: windows, caps, and two bases of rotary positions.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "attend/interchange/foreign_config.h"
#include "attend/interchange/formats/gguf/gguf_writing.h"
#include "attend/models/language_transformer.h"

namespace attend {

// The number in the name of the architecture: "gemma" is 1, "gemma3" is 3; 0: it is none of them.
int gemma_version(std::string_view architecture);

// Adds what read_gguf_config() does not to the settings of `version`, which have those of Llama.
// `prefix` is that of the keys, "gemma3.". Throws DataError for what is not supported.
void read_gguf_gemma(ForeignConfig& metadata, int version, const std::string& prefix,
                     nlohmann::json& config);

// The other direction.
void add_gguf_gemma(const LanguageTransformerConfig& shape, int version, const std::string& prefix,
                    GgufEntries& entries);

}  // namespace attend
