// Files that people have downloaded: which belong to a set, and whether they are the published
// ones.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/files/packed/archive_reader.h"
#include "attend/data/public_sets/public_sets.h"

namespace attend {

// The address of a file.
std::string address_of(const SetDownload& download);

// The files of `from`, and of folders in it those that have the name of a download of the set,
// packed or not. Throws IoError if one cannot be read, DataError if there is none.
std::vector<std::string> files_of_set(std::span<const std::string> from, const PublicSet& set);

// Compares checksums. Throws DataError if a file with the name of a download of known checksum has
// another one, unless `any_version`.
std::vector<CheckedDownload> checked_downloads(std::span<const std::string> files,
                                               const PublicSet& set, bool any_version);

// Calls `use` with each file in each archive, and with files that are no archives.
void visit_files(std::span<const std::string> downloads,
                 const std::function<void(ArchiveReader& file)>& use);

// "train.en" of "data/train.en".
std::string_view last_name(std::string_view path);

// Throws DataError: the downloads lack `what`, and where there is more of the set.
[[noreturn]] void refuse_missing_part(std::string_view set, std::string_view what);

}  // namespace attend
