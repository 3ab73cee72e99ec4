// The version of the project, as CMakeLists.txt has it (a test compares the two).
#pragma once

#include <string_view>

namespace attend {

inline constexpr std::string_view kVersion = "0.2.0";

}  // namespace attend
