// Patterns of names, as a shell has them for files: * stands for any characters, ? for one, [0-3]
// for one of several. "encoder.layers.[0-3].*"
#pragma once

#include <string>

namespace attend {

bool fits_pattern(const std::string& name, const std::string& pattern);

}  // namespace attend
