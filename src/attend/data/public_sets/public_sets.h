// The list of public data sets, and preparing one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "attend/data/public_sets/public_set.h"
#include "attend/data/public_sets/set_folder.h"

namespace attend {

std::span<const PublicSet* const> public_sets();
// Throws ConfigError for a name that is not in the list, naming the nearest one.
const PublicSet& public_set(const std::string& name);

struct CheckedDownload {
  std::string path;
  bool known = false;  // its checksum is a published one
};

struct PreparedSet {
  std::vector<CheckedDownload> downloads;
  std::vector<WrittenFile> files;
  std::vector<std::string> notes;
};

// Writes a set into the new folder `out`: all of it or nothing. `from` names files, and folders in
// which files with the names of downloads are used. Throws DataError for missing and damaged files,
// and for other versions than the published ones unless options allow them; IoError if a file
// cannot be read or written, or if `out` exists.
PreparedSet prepare_public_set(const PublicSet& set, std::span<const std::string> from,
                               const std::filesystem::path& out, const PublicSetOptions& options);

}  // namespace attend
