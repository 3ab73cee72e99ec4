// Files of gettext: messages of programs with their translations.
#pragma once

#include <memory>
#include <string_view>

#include "attend/documents/document.h"

namespace attend {

// The texts are the messages without a translation, and their plurals. They get theirs, and the
// flag fuzzy: somebody has to look at them. Everything else stays byte for byte: translations,
// fuzzy ones too, comments and obsolete entries. In the header, empty fields are filled: the
// language, its plural forms and the encoding. Throws DataError for bytes that gettext does not
// read and for other encodings than UTF-8.
std::unique_ptr<const Document> read_po(std::string_view name, std::string_view content,
                                        const DocumentFileOptions& options);

}  // namespace attend
