// Text as it is written in Markdown so that readers see the same.
#pragma once

#include <string>
#include <string_view>

namespace attend::markdown {

// On one line, and without the characters that mark marks (document.cpp).
std::string plain(std::string_view text);
// Escapes what is markup nearly everywhere. `in_table`: "|", too.
std::string escaped(std::string_view text);
std::string escaped_in_table(std::string_view text);
// Escapes all punctuation.
std::string fully_escaped(std::string_view text);
// Escapes what would begin a block at the beginning of a line.
std::string escaped_at_start(std::string_view line);

}  // namespace attend::markdown
