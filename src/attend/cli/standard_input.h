// Standard input as text.
#pragma once

#include "attend/core/files/lines.h"

namespace attend {

// Reads the descriptor, or the buffer of std::cin if it was replaced.
LineReader standard_input();

}  // namespace attend
