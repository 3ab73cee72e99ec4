// The models that people name on the command line.
#pragma once

#include <string>

namespace attend {

// The help of an argument that model_path() reads.
inline constexpr const char* kModelHelp =
    "model file, the folder of a run, or what `attend import` reads";

// Where a model that a command reads can be loaded from: usable_model(), which imports models of
// other programs once, with a progress line and its remarks.
std::string model_path(const std::string& named);

}  // namespace attend
