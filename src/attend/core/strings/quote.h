// Makes untrusted text (metadata, arguments, input lines) safe to print: short, on one line, and
// without control sequences.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace attend {

// `text` with control characters, line separators, direction marks and invalid UTF-8 as escapes
// (\n, \x1b, \u202e). Shows at most `most` bytes; "..." marks the cut.
std::string printable(std::string_view text, std::size_t most = 200);

// The same in single quotes, for use inside a message.
std::string quote(std::string_view text, std::size_t most = 60);

}  // namespace attend
