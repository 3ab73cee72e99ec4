// The entries of gettext's files with their places.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attend/documents/sentences/sentences.h"

namespace attend {

// A string with its keyword, such as msgid "text", on one or several lines.
struct PoString {
  TextSpan place;  // from the keyword to the last quotation mark
  std::string text;
};

struct PoEntry {
  std::size_t begin = 0;  // where a line with flags may be inserted
  std::size_t flags = 0;  // behind "#," of its first line of flags; 0: none
  bool is_fuzzy = false;
  std::optional<PoString> context = {}, id = {}, plural = {};
  std::vector<PoString> translations = {};  // of plurals, by their numbers
};

// Calls `found` for each entry that is not obsolete. `po`: UTF-8; `name` stands for it in messages.
// Throws DataError "name:line: ..." for what gettext does not read, such as an entry without msgid
// or an unknown escape.
void find_po_entries(std::string_view name, std::string_view po,
                     const std::function<void(PoEntry)>& found);

}  // namespace attend
