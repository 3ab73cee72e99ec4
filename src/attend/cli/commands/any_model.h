// Models of attend and of other programs, as they are.
#pragma once

#include <filesystem>

#include "attend/checkpoint/checkpoint.h"

namespace attend {

// A model file, the folder of a run, a directory that `attend import` reads, or an adapter of PEFT
// that names the path of its base, joined with it. Throws like load_checkpoint(), import_model()
// and read_peft_adapter().
Checkpoint load_any_model(const std::filesystem::path& path);

// An adapter of `base`: a file, the folder of a run, or a directory of PEFT. Throws like the same
// functions.
Checkpoint load_any_adapter(const std::filesystem::path& path, const Checkpoint& base);

}  // namespace attend
