// Standard input as text.
#pragma once

#include "attend/core/lines.h"

namespace attend {

// Throws IoError when it is a directory, which a stream would take for an empty text.
LineReader standard_input();

// Whether somebody sits there and types.
bool standard_input_is_terminal();

}  // namespace attend
