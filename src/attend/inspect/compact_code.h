#pragma once

#include <string>
#include <string_view>

// The files of pages as browsers need them: what only people read is left out.
namespace attend {

// Without indentation, comments on lines of their own and blank lines.
std::string compact_lines(std::string_view file);

// Style sheets, also without white space after punctuation and before blocks.
std::string compact_styles(std::string_view file);

// Scripts, also without comments behind code and spaces beside punctuation. Line breaks remain,
// as they may end statements; strings, templates and regular expressions are as they were.
std::string compact_script(std::string_view file);

}  // namespace attend
