// A folder of work that is done part by part, and goes on after a stop.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "attend/tasks/training/initial_model.h"

namespace attend {

// Creates the folder with settings.toml, or compares that with `settings`. Throws ConfigError if
// they differ: "FOLDER: the targets in this folder were made ..." for "targets".
void open_part_folder(const std::filesystem::path& folder, const std::string& settings,
                      std::string_view what);

// A line of `settings` with the checksums of the tensors of models: one that was trained again at
// the same place is another one. Throws IoError and DataError for their files.
std::string checksums_of(const Teachers& teachers);
// The same, after lines that say where they are.
std::string names_of(const Teachers& teachers);

// The same for files, a line for each: a text that was written again at the same place is another
// one. Throws IoError.
std::string checksums_of(const std::vector<std::string>& files);

}  // namespace attend
