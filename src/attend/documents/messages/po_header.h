// The header of gettext's files: the translation of the empty message.
#pragma once

#include <string>
#include <string_view>

namespace attend {

// The value of a field such as "Language"; empty without one.
std::string_view po_header_field(std::string_view header, std::string_view field);

// The header with its empty fields filled: the encoding is UTF-8, the language is `target`, with
// its plural forms. Templates have words in capitals instead of values.
std::string filled_po_header(std::string_view header, std::string_view target);

}  // namespace attend
