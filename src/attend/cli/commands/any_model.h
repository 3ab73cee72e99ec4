// Models of attend and of other programs, as they are.
#pragma once

#include <filesystem>

#include "attend/checkpoint/checkpoint.h"

namespace attend {

// A model file, the folder of a run, or a directory that `attend import` reads. Throws like
// load_checkpoint() and import_model().
Checkpoint load_any_model(const std::filesystem::path& path);

}  // namespace attend
