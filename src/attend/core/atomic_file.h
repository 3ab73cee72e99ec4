// Files that are whole or absent: the content goes to a temporary name in the same folder, is
// synced, and renamed over the old file.
//
// After a crash, a kill or a power cut there is the old file or the new one, never half of one.
// Temporaries are named
// ".<name>.<process>-<count>.attend-tmp" and are locked while somebody writes them; a killed
// process leaves its temporary without a lock, and the next AtomicFile in that folder removes it.
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
  // Opens a temporary beside `path` and removes the leftovers of killed processes. A symbolic link
  // is followed; the mode of an existing file is kept. Throws IoError when the folder does not
  // exist or refuses, or when `path` is a directory, a device or write-protected.
  explicit AtomicFile(const std::filesystem::path& path);
  // Removes the temporary unless commit() succeeded.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  // Appends. Unbuffered: meant for large pieces. Throws IoError naming the path, the cause and what
  // is left on disk.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }

  // Syncs, renames over `path`, syncs the folder. From then on the new file is the one that
  // everybody sees.
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

// The whole of a small file at once.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

// Removes temporaries in `folder` that no living process writes; returns how many. Never throws: a
// folder that cannot be read has none.
int remove_abandoned_temporaries(const std::filesystem::path& folder);

// Whether `name` (without folder) is the name of a temporary of AtomicFile.
bool is_temporary_name(std::string_view name);

// The system calls an AtomicFile makes, replaceable so that tests can let the disk fill up after n
// bytes. They return and set errno as the originals do; an empty function means the original.
struct FileCalls {
  std::function<ssize_t(int file, const void* data, std::size_t size)> write;
  std::function<int(int file)> sync;
  std::function<int(const char* from, const char* to)> rename;
};

// Replaces the calls of every AtomicFile of the process for its lifetime. Not for use beside other
// threads that write files.
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
