#include "attend/core/atomic_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <system_error>
#include <utility>

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

}  // namespace

AtomicFolder::AtomicFolder(fs::path path) : path_(without_final_separator(std::move(path))) {
  static std::atomic<unsigned> counter{0};
  std::error_code error;
  if (!path_.has_filename()) refuse_folder(path_, "expected the name of a folder");
  if (fs::is_symlink(path_, error)) path_ = fs::weakly_canonical(path_, error);
  if (fs::exists(path_, error)) {
    if (!fs::is_directory(path_, error)) refuse_folder(path_, "a file of this name exists");
    if (!fs::is_empty(path_, error))
      refuse_folder(path_, "it exists and is not empty; choose another name");
  }
  const fs::path beside = path_.has_parent_path() ? path_.parent_path() : fs::path(".");
  const std::string name = path_.filename().string().substr(0, 200);  // NAME_MAX is 255
  fs::path temporary;
  bool made = false;
  while (!made) {
    temporary = beside / fmt::format(".{}.{}-{}.attend-tmp", name, ::getpid(), counter++);
    made = fs::create_directory(temporary, error);
    if (error) refuse_folder(path_, error.message());
  }
  temporary_ = std::move(temporary);
}

AtomicFolder::~AtomicFolder() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

void AtomicFolder::commit() {
  std::error_code error;
  fs::rename(temporary_, path_, error);
  if (error) refuse_folder(path_, error.message());
  temporary_.clear();
}

}  // namespace attend
