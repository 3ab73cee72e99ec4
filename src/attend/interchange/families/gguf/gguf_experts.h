// Mixtures of experts in GGUF files: Mixtral in the architecture "llama", and Qwen's in two of
// their own. The architecture, not a setting, says whether the weights of a token's experts add up
// to 1.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "attend/checkpoint/checkpoint.h"
#include "attend/interchange/foreign_config.h"
#include "attend/interchange/formats/gguf/gguf_writing.h"
#include "attend/interchange/weights/name_map.h"
#include "attend/interchange/weights/tensor_table.h"
#include "attend/models/language_transformer.h"

namespace attend {

// Adds the experts of a file, if it has any, to the settings of a model with one network, in the
// words of config.json. Throws DataError for an architecture that has none, or only models with
// experts, and for what is not supported.
void read_gguf_experts(ForeignConfig& metadata, const TensorTable& tensors, nlohmann::json& config);

// The architecture that is nearest to a model with experts.
std::string_view gguf_architecture_of_experts(const LanguageTransformerConfig& shape);
// The same model with the width of experts where the architecture has it.
void use_gguf_width_of_experts(Checkpoint& model, const LanguageTransformerConfig& shape);
// Throws ConfigError for what the architecture does not have.
void add_gguf_experts(const LanguageTransformerConfig& shape, GgufEntries& entries);

void add_gguf_expert_names(NameMap& names);
// The tensors of a file with each expert for itself.
TensorTable with_separate_gguf_experts(const TensorTable& file);

}  // namespace attend
