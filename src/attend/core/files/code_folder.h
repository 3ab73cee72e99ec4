// Where attend itself is, to find the files that belong to it.
#pragma once

#include <filesystem>

namespace attend {

// The folder of the file that holds this code: the program, the library or the Python module.
std::filesystem::path code_folder();

}  // namespace attend
