// Standard input as text.
#pragma once

#include "attend/core/lines.h"

namespace attend {

// Reads the descriptor, or, where somebody has given std::cin another buffer, that.
LineReader standard_input();

}  // namespace attend
