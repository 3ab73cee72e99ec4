// What the beginning of a line of Markdown says, behind its indentation.
#pragma once

#include <cstddef>
#include <string_view>

namespace attend::markdown {

// "## ": the level and its blanks; 0 if it begins no heading.
std::size_t heading_marker(std::string_view line);
// Without the closing "##".
std::string_view heading_text(std::string_view text);
// "===" or "---" below a heading.
bool is_underline(std::string_view line);
bool is_thematic_break(std::string_view line);
// The number of ` or ~ that begin a block of code; 0: none.
std::size_t code_fence(std::string_view line);
// "| --- | :-: |": the number of cells; 0: no such row. Readers do not agree on single cells.
std::size_t table_columns(std::string_view line);

struct ListMarker {
  std::size_t size = 0;  // 0: none
  bool begins_at_one = true;
};
ListMarker list_marker(std::string_view line);

// The kinds of blocks of HTML, 1 to 7, as CommonMark numbers them; 0: none.
int html_block(std::string_view line);
// Whether the block of HTML ends with this line; those of kinds 6 and 7 end before a blank one.
bool ends_html_block(std::string_view line, int kind);

// "[^1]:"; 0: none.
std::size_t footnote_marker(std::string_view line);

}  // namespace attend::markdown
