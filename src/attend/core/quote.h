// Text that did not come from this program (a file's metadata, an argument, a line of input) made
// safe to show: short, on one line, and without bytes that a terminal would obey.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace attend {

// `text` with control characters, line separators, marks that change the direction of writing, and
// bytes that are not UTF-8 as escapes
// (\n, \x1b, \u202e). At most `most` bytes of it are shown; "..." says that there was more.
std::string printable(std::string_view text, std::size_t most = 200);

// The same between single quotes, for the middle of a message.
std::string quote(std::string_view text, std::size_t most = 60);

}  // namespace attend
