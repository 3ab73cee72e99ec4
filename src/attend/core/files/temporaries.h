// What AtomicFile and AtomicFolder share: temporaries (atomic_file.h describes them), and syncing.
// Private to core/.
#pragma once

#include <filesystem>

namespace attend {

// A name beside `path` that this process has not used yet.
std::filesystem::path temporary_beside(const std::filesystem::path& path);

// Locks the open temporary `path`, until `descriptor` is closed. False if a cleaner was faster and
// has removed it. On a file system without locks nobody locks, so nobody cleans: true.
bool lock_temporary(int descriptor, const std::filesystem::path& path);

// Syncs a file or folder, by the replaceable call of FileCalls. Returns 0 or the error number.
int sync_descriptor(int descriptor);
// The same for the entries of a folder. 0 also where the file system cannot sync folders.
int sync_folder(const std::filesystem::path& folder);

}  // namespace attend
