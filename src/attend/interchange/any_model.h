// Models of attend and of other programs, as they are.
#pragma once

#include <filesystem>
#include <optional>

#include "attend/checkpoint/checkpoint.h"

namespace attend {

// Whether import_model() is for it: a GGUF file, a package of Argos or what was in it, or a
// directory with a config.json of Hugging Face, a model.bin of CTranslate2 or a decoder.yml of
// Marian.
bool is_foreign_model(const std::filesystem::path& path);

// The model that an adapter was trained on, as its run or the settings of PEFT say; nullopt for
// what is no adapter. Throws DataError unless they name an existing path.
std::optional<std::filesystem::path> base_of_adapter(const std::filesystem::path& path);

// A model file, the folder of a run, what import_model() reads, a model that was downloaded from
// the Hugging Face Hub, or an adapter of PEFT that names its base, joined with it. Throws like
// load_checkpoint(), local_path(), import_model() and read_peft_adapter().
Checkpoint load_any_model(const std::filesystem::path& named);

// An adapter of `base`: a file, the folder of a run, or a directory of PEFT. Throws like the same
// functions.
Checkpoint load_any_adapter(const std::filesystem::path& path, const Checkpoint& base);

}  // namespace attend
