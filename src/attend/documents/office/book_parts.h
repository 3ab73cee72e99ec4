// The parts of EPUB books.
#pragma once

#include <string_view>

#include "attend/documents/office/office_parts.h"

namespace attend {

// META-INF/container.xml leads to the package document, and that to the chapters, in XHTML, and to
// the table of contents. Throws DataError if the first two are missing.
PartReaders book_part_readers(const ZipArchive& archive);

// A package document: the title and the description of the book, unless that one is HTML.
MarkupDocument package_part(std::string_view xml);

// A table of contents of EPUB 2: its title and its labels, but not numbers of pages.
MarkupDocument contents_part(std::string_view xml);

}  // namespace attend
