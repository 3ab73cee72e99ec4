#include "attend/core/files/atomic_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "attend/core/files/atomic_file.h"
#include "attend/core/files/temporaries.h"
#include "attend/error.h"

namespace attend {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_folder(const fs::path& path, const std::string& why) {
  throw IoError(fmt::format("{}: cannot write a folder: {}", path.string(), why));
}

// Without separators at its end: they would make the temporary folder a part of it.
fs::path without_final_separator(fs::path path) {
  while (!path.has_filename() && path.has_relative_path()) path = path.parent_path();
  return path;
}

fs::path folder_above(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

int sync_file(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return errno;
  const int cause = sync_descriptor(file);
  ::close(file);
  return cause;
}

// The files and folders in `temporary`, and itself.
void sync_all(const fs::path& temporary, const fs::path& path) {
  const auto require = [&](int cause) {
    if (cause != 0) refuse_folder(path, fmt::format("sync failed: {}", std::strerror(cause)));
  };
  std::error_code error;
  for (fs::recursive_directory_iterator entry(temporary, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->is_symlink()) continue;
    require(entry->is_directory() ? sync_folder(entry->path()) : sync_file(entry->path()));
  }
  if (error) refuse_folder(path, error.message());
  require(sync_folder(temporary));
}

}  // namespace

AtomicFolder::AtomicFolder(fs::path path) : path_(without_final_separator(std::move(path))) {
  std::error_code error;
  if (!path_.has_filename()) refuse_folder(path_, "expected the name of a folder");
  if (fs::is_symlink(path_, error)) path_ = fs::weakly_canonical(path_, error);
  if (fs::exists(path_, error)) {
    if (!fs::is_directory(path_, error)) refuse_folder(path_, "a file of this name exists");
    if (!fs::is_empty(path_, error))
      refuse_folder(path_, "it exists and is not empty; choose another name");
  }
  remove_abandoned_temporaries(folder_above(path_));
  make_temporary();
}

void AtomicFolder::make_temporary() {
  while (temporary_.empty()) {
    std::error_code error;
    const fs::path made = temporary_beside(path_);
    const bool is_new = fs::create_directory(made, error);
    if (error) refuse_folder(path_, error.message());
    if (!is_new) continue;
    lock_ = ::open(made.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock_ < 0) {
      if (errno == ENOENT) continue;  // removed by a cleaner
      refuse_folder(path_, std::strerror(errno));
    }
    if (lock_temporary(lock_, made)) {
      temporary_ = made;
    } else {
      ::close(std::exchange(lock_, -1));
    }
  }
}

AtomicFolder::~AtomicFolder() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

void AtomicFolder::commit() {
  sync_all(temporary_, path_);
  std::error_code error;
  fs::rename(temporary_, path_, error);
  if (error) refuse_folder(path_, error.message());
  temporary_.clear();
  ::close(std::exchange(lock_, -1));
  if (const int cause = sync_folder(folder_above(path_)))
    throw IoError(
        fmt::format("{}: written, but syncing the folder above failed: {}; the new folder is in "
                    "place and could be lost in a power cut",
                    path_.string(), std::strerror(cause)));
}

}  // namespace attend
