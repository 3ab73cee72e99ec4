// Which parts of office files have texts, and how those are read.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "attend/core/files/packed/zip_archive.h"
#include "attend/documents/markup/markup_document.h"

namespace attend {

// Bytes of all texts of a file, unpacked: a novel has a tenth of it.
inline constexpr std::uint64_t kLargestPart = 32 << 20;

enum class OfficeKind { word, presentation, open_document, book };

using PartReader = MarkupDocument (*)(std::string_view xml);
// The keys are the names of the parts.
using PartReaders = std::map<std::string, PartReader, std::less<>>;

// Throws DataError for books whose list of parts cannot be read.
PartReaders part_readers(const ZipArchive& archive, OfficeKind kind);

// The text of a part of XML in UTF-8. Throws DataError if it is not well-formed.
std::string read_xml_part(const ZipArchive& archive, const ZipEntry& entry);

// A part that every file of this kind has.
std::string_view main_part(OfficeKind kind);

}  // namespace attend
