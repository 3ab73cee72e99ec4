// Files of XLIFF, which translators' tools exchange: texts with their translations.
#pragma once

#include <memory>
#include <string_view>

#include "attend/documents/document.h"

namespace attend {

// XLIFF 1 or 2. The texts are the units, or segments, that have no translation yet, or one whose
// state says so: new, needs-translation, initial. They get theirs, with the state of what nobody
// has looked at: needs-review-translation, or translated in XLIFF 2. Units with translate="no"
// stay, and so does everything else. The language of the translation is named if it was not.
// Throws DataError for bytes that are no such file, TooLongError for too large ones.
std::unique_ptr<const Document> read_xliff(std::string_view name, std::string_view content,
                                           const DocumentFileOptions& options);

}  // namespace attend
