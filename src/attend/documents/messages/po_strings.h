// Strings of gettext's files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace attend {

// Appends what a quoted string says, without its escapes: "a\n". `quoted` begins with its quotation
// mark. Returns its length; nullopt if it has no end, or an escape that gettext does not know.
std::optional<std::size_t> read_po_string(std::string_view quoted, std::string& text);

// How a file writes its strings.
struct PoLayout {
  std::string line_end = "\n";
  std::size_t width = 79;  // columns of a line; 0: any number
};

// The text after its keyword, msgstr "text", as msgcat writes it: on one line if it fits, otherwise
// on lines that end at line breaks and after spaces. Without a line end behind it.
std::string written_po_string(std::string_view keyword, std::string_view text,
                              const PoLayout& layout);

}  // namespace attend
