// The tasks there are, one line each in registry.cpp: how a model file, whatever it is for, becomes
// a model, and what can be trained.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "attend/checkpoint/checkpoint.h"
#include "attend/tasks/golden.h"
#include "attend/tasks/saved_model.h"
#include "attend/tasks/trainable.h"

namespace attend {

// Throws DataError for a file that is damaged or for no task that there is, IoError when it cannot
// be read.
std::unique_ptr<SavedModel> load_model(const Checkpoint& checkpoint);
std::unique_ptr<SavedModel> load_model(const std::filesystem::path& path);

// Whether the model still computes what it did when it was finished; nothing where the file has no
// golden samples, or is for no task that there is. Throws DataError when it is damaged.
std::optional<ModelCheck> check_model(const Checkpoint& checkpoint);

// One for each task, with default options.
std::vector<std::unique_ptr<Trainable>> trainable_tasks();

}  // namespace attend
