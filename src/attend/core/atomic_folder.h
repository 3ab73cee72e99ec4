// A folder that appears with all of its files, or not at all.
//
// The files are written into a temporary folder beside it, named as those of AtomicFile are, which
// is renamed in the end. A killed process leaves the temporary folder.
#pragma once

#include <filesystem>

namespace attend {

class AtomicFolder {
 public:
  // Makes the temporary folder. Throws IoError when `path` exists, except as an empty folder, or
  // when it cannot be made.
  explicit AtomicFolder(std::filesystem::path path);
  // Removes the temporary folder unless commit() succeeded.
  ~AtomicFolder();
  AtomicFolder(const AtomicFolder&) = delete;
  AtomicFolder& operator=(const AtomicFolder&) = delete;

  // Where to write the files until commit().
  const std::filesystem::path& temporary() const { return temporary_; }

  // Renames the folder. The files in it are to be synced already. Throws IoError.
  void commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;  // empty after commit()
};

}  // namespace attend
