// Two texts that are read line by line, side by side.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "attend/core/files/lines.h"

namespace attend {

// The next line of each; none after the last. Throws DataError if one text is shorter, and
// LineError for an invalid line, after skipping the line of the other text.
std::optional<std::pair<std::string, std::string>> next_of_both(LineReader& first,
                                                                LineReader& second);

}  // namespace attend
