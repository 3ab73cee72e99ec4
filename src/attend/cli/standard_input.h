// Standard input as text.
#pragma once

#include <string>

#include "attend/core/files/lines.h"

namespace attend {

// Reads the descriptor, or the buffer of std::cin if it was replaced.
LineReader standard_input();

// All of it, as one text (core/files/whole_text.h).
std::string whole_standard_input();

}  // namespace attend
