// Packages of Argos Translate in the folder of a server's models.
#pragma once

#include <filesystem>

namespace attend {

// Imports every package of the folder, an archive NAME.argosmodel or a folder NAME, as the model
// file NAME.safetensors beside it, unless that is there and newer. Throws like import_model() and
// save_checkpoint(). A folder that cannot be read has no packages.
void import_packages(const std::filesystem::path& folder);

}  // namespace attend
