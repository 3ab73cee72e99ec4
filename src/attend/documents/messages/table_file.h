// Tables whose cells are translated: CSV and tab-separated files.
#pragma once

#include <memory>
#include <string_view>

#include "attend/documents/document.h"

namespace attend {

// A table as in RFC 4180. Its cells end at commas, semicolons or tabs: at those that the first
// record has most of, or at the character of a first line "sep=;". The first record holds names,
// unless the columns are chosen by number. Cells with letters in the chosen columns are texts; the
// rest stays byte for byte. Throws DataError for a malformed record, or one with more cells than
// the first; ConfigError for columns that are not there.
std::unique_ptr<const Document> read_csv(std::string_view name, std::string_view content,
                                         const DocumentFileOptions& options);

// The same with cells that end at tabs, without quotes.
std::unique_ptr<const Document> read_tsv(std::string_view name, std::string_view content,
                                         const DocumentFileOptions& options);

}  // namespace attend
