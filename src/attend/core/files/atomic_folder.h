// A folder that appears with all of its files, or not at all.
//
// The files are written into a temporary folder beside it (atomic_file.h), which is renamed in
// the end. A killed process leaves it, and the next AtomicFolder or AtomicFile there removes it.
#pragma once

#include <filesystem>

namespace attend {

class AtomicFolder {
 public:
  // Makes the temporary folder and removes those of killed processes. Throws IoError when `path`
  // exists, except as an empty folder, or when it cannot be made.
  explicit AtomicFolder(std::filesystem::path path);
  // Removes the temporary folder unless commit() succeeded.
  ~AtomicFolder();
  AtomicFolder(const AtomicFolder&) = delete;
  AtomicFolder& operator=(const AtomicFolder&) = delete;

  // Where to write the files until commit().
  const std::filesystem::path& temporary() const { return temporary_; }

  // Syncs the files and folders in it, renames it, and syncs the folder that holds it. Throws
  // IoError.
  void commit();

 private:
  void make_temporary();

  std::filesystem::path path_;
  std::filesystem::path temporary_;  // empty after commit()
  int lock_ = -1;                    // of the temporary folder
};

}  // namespace attend
