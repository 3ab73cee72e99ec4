// One training at a time per folder.
#pragma once

#include <filesystem>

namespace attend {

// Holds FOLDER/.lock during its lifetime. The operating system releases the lock when the process
// ends in any way: a killed run leaves the file, but no lock. Readers of the folder are unaffected.
// On a file system without locks it does nothing.
class RunLock {
 public:
  // The folder must exist. Throws ConfigError, naming the folder and the process, if another run
  // holds the lock; IoError if the file cannot be created.
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
