// Which parts of office files have texts, and how those are read.
#pragma once

#include <map>
#include <string>

#include "attend/core/files/packed/zip_archive.h"
#include "attend/documents/markup/markup_document.h"

namespace attend {

enum class OfficeKind { word, presentation, open_document };

using PartReader = MarkupDocument (*)(std::string_view xml);
// By the names of the parts.
using PartReaders = std::map<std::string, PartReader, std::less<>>;

PartReaders part_readers(const ZipArchive& archive, OfficeKind kind);

// A part that every file of this kind has.
std::string_view main_part(OfficeKind kind);

}  // namespace attend
