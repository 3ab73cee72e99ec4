// One training at a time in a folder.
#pragma once

#include <filesystem>

namespace attend {

// Holds FOLDER/.lock while it lives. The operating system gives the lock back when the process
// ends, however it ends: a run that was killed leaves the file, but no lock. Readers of the folder
// are not hindered. A file system without locks is used without one.
class RunLock {
 public:
  // The folder must exist. Throws ConfigError, naming the folder and the process, when another run
  // holds the lock; IoError when the file cannot be made.
  explicit RunLock(const std::filesystem::path& folder);
  // Removes the file.
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

  // Throws the same ConfigError while a run holds the lock, and writes nothing: to refuse before
  // there is work to throw away.
  static void require_free(const std::filesystem::path& folder);

 private:
  std::filesystem::path path_;
  int file_ = -1;
};

}  // namespace attend
