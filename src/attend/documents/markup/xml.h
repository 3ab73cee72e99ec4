// Files of XML: their encoding, and whether a reader takes them.
#pragma once

#include <string>
#include <string_view>

namespace attend {

// The text of a file in UTF-8 or UTF-16; in the latter case it says UTF-8 now. Throws DataError for
// other encodings, and for bytes that are not well-formed. `name` stands for the file in messages.
std::string xml_in_utf8(std::string_view bytes, std::string_view name);

// Throws DataError unless the text is well-formed XML in UTF-8: one element, all tags closed in
// order, attributes quoted, no escapes but those of XML, and with a document type those of HTML.
// Namespaces and what a document type says are not looked at.
void require_well_formed(std::string_view xml, std::string_view name);

}  // namespace attend
