// The directory at the end of a ZIP archive.
#pragma once

#include <cstdint>
#include <vector>

#include "attend/core/files/packed/zip_archive.h"

namespace attend {

// All entries, checked against their local headers and against each other (zip_archive.h). Throws
// DataError.
std::vector<ZipEntry> read_zip_directory(const InputFile& file);

}  // namespace attend
