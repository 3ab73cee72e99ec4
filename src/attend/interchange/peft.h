// Low-rank adapters in the directories of PEFT (Hugging Face): adapter_config.json and
// adapter_model.safetensors.
#pragma once

#include <filesystem>
#include <string>

#include "attend/checkpoint/checkpoint.h"
#include "attend/interchange/model_directory.h"

namespace attend {

// Whether the directory holds an adapter of PEFT.
bool is_peft_directory(const std::filesystem::path& path);

// The base model that an adapter names: a path or a name on a hub; empty: none.
std::string base_of_peft(const ModelDirectory& directory);

// The adapter of `base`, a model with an equal in Hugging Face (model_export.h), as training with
// --lora-rank saves one (tasks/model_file/adapter.h). Throws DataError for another kind of adapter,
// a setting that is not supported, or a tensor without a place in the base.
Checkpoint read_peft_adapter(const ModelDirectory& directory, const Checkpoint& base);

// Writes an adapter of `base` as a new or empty directory; `base_name` is what it says of its base.
// Throws ConfigError if the adapted model has no equal in Hugging Face, or if an adapted matrix is
// a part of one there; DataError for an adapter of another model.
void write_peft_adapter(const Checkpoint& adapter, const Checkpoint& base,
                        const std::string& base_name, const std::filesystem::path& directory);

}  // namespace attend
