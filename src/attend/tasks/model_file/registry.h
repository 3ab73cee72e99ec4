// The registry of tasks, one line each in registry.cpp: loads model files of any kind and lists
// what can be trained.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "attend/checkpoint/checkpoint.h"
#include "attend/tasks/model_file/golden.h"
#include "attend/tasks/model_file/saved_model.h"
#include "attend/tasks/training/trainable.h"

namespace attend {

// Throws DataError for a damaged file or an unknown task, IoError if it cannot be read.
std::unique_ptr<SavedModel> load_model(const Checkpoint& checkpoint);
std::unique_ptr<SavedModel> load_model(const std::filesystem::path& path);

// Whether the file is a model for a known task.
bool is_known_task(const Checkpoint& checkpoint);

// Checks the golden samples; nullopt if the file has none or its task is unknown. Throws DataError
// if it is damaged.
std::optional<ModelCheck> check_model(const Checkpoint& checkpoint);

// One per task, with default options.
std::vector<std::unique_ptr<Trainable>> trainable_tasks();
// The one of this name in `attend train`; null without one. Here, since the engine of pages
// replaces trainable_tasks() and its file.
inline std::unique_ptr<Trainable> trainable_task(std::string_view name) {
  for (std::unique_ptr<Trainable>& task : trainable_tasks())
    if (task->name() == name) return std::move(task);
  return nullptr;
}

}  // namespace attend
