// Atomic file writes: the content goes to a temporary file in the same folder, is synced, and
// renamed over the old file.
//
// After a crash, a kill or a power cut you have the old file or the new one. Temporaries are named
// ".<name>.<process>-<count>@<host>.attend-tmp" and are locked while being written. A killed
// process leaves its temporary unlocked, and the next AtomicFile in that folder removes it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

namespace attend {

class AtomicFile {
 public:
  // Opens a temporary beside `path` and removes those of killed processes. Follows symbolic links
  // and keeps the mode of an existing file. Throws IoError if the folder is missing or not
  // writable, or if `path` is a directory, a device or write-protected.
  explicit AtomicFile(const std::filesystem::path& path);
  // Removes the temporary unless commit() succeeded.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  // Appends, unbuffered: meant for large blocks. Throws IoError naming the path, the cause and what
  // is left on disk.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }

  // Syncs, renames over `path`, and syncs the folder.
  void commit();

 private:
  void open_temporary();
  void discard();
  [[noreturn]] void fail(std::string_view what, int cause);

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  int file_ = -1;
  bool replaces_ = false;
  mode_t mode_ = 0;
  std::uint64_t written_ = 0;
};

// Writes a small file at once.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

// Removes temporaries that no living process writes, of other hosts only a day after their last
// change: locks need not be seen there. Returns how many. An unreadable folder counts as empty.
int remove_abandoned_temporaries(const std::filesystem::path& folder);

// Whether `name` (without folder) is a temporary of AtomicFile or AtomicFolder.
bool is_temporary_name(std::string_view name);

// The system calls of AtomicFile, replaceable so that tests can simulate a full disk. They return
// and set errno like the originals; an empty function means the original.
struct FileCalls {
  std::function<ssize_t(int file, const void* data, std::size_t size)> write;
  std::function<int(int file)> sync;
  std::function<int(const char* from, const char* to)> rename;
};

// Replaces the calls of every AtomicFile in the process during its lifetime. Not for use while
// other threads write files.
class ScopedFileCalls {
 public:
  explicit ScopedFileCalls(FileCalls calls);
  ~ScopedFileCalls();
  ScopedFileCalls(const ScopedFileCalls&) = delete;
  ScopedFileCalls& operator=(const ScopedFileCalls&) = delete;

 private:
  FileCalls previous_;
};

}  // namespace attend
