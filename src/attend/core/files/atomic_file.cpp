#include "attend/core/files/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>

#include "attend/core/files/temporaries.h"
#include "attend/error.h"

namespace attend {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLongestWrite = std::size_t{1} << 30;  // Linux writes at most 2 GiB at a time

FileCalls& file_calls() {
  static FileCalls calls;
  return calls;
}

ssize_t call_write(int file, const void* data, std::size_t size) {
  return file_calls().write ? file_calls().write(file, data, size) : ::write(file, data, size);
}

int call_rename(const char* from, const char* to) {
  return file_calls().rename ? file_calls().rename(from, to) : std::rename(from, to);
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

std::string_view advice_for(int cause) {
  switch (cause) {
    case ENOSPC:
    case EDQUOT:
      return "; free some space or choose another place";
    case ENOENT:
    case ENOTDIR:
      return "; create the folder first or correct the path";
    case EACCES:
    case EPERM:
    case EROFS:
      return "; choose a place you may write to";
    default:
      return "";
  }
}

[[noreturn]] void refuse(const fs::path& path, std::string_view why) {
  throw IoError(fmt::format("{}: cannot write: {}", path.string(), why));
}

}  // namespace

AtomicFile::AtomicFile(const fs::path& path) : path_(path) {
  if (path.empty() || !path.has_filename())
    refuse(path, "expected the name of a file, got the name of a folder");
  std::error_code ignored;
  if (fs::is_symlink(path, ignored)) path_ = fs::weakly_canonical(path, ignored);
  if (path_.empty()) path_ = path;
  struct stat status {};
  replaces_ = ::stat(path_.c_str(), &status) == 0;
  if (replaces_) {
    if (S_ISDIR(status.st_mode)) refuse(path, "it is a directory");
    if (!S_ISREG(status.st_mode)) refuse(path, "it is a device or a pipe, expected a file");
    if (::access(path_.c_str(), W_OK) != 0)
      refuse(path, fmt::format("it is write-protected ({})", std::strerror(errno)));
    mode_ = status.st_mode & 0777;
  }
  remove_abandoned_temporaries(folder_of(path_));
  open_temporary();
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::open_temporary() {
  for (;;) {
    temporary_ = temporary_beside(path_);
    file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file_ < 0) {
      if (errno == EEXIST || errno == EINTR) continue;
      fail("cannot write: creating a file in its folder failed", errno);
    }
    if (lock_temporary(file_, temporary_)) break;
    ::close(std::exchange(file_, -1));
  }
  if (replaces_) static_cast<void>(::fchmod(file_, mode_));
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = call_write(file_, bytes.data(), std::min(bytes.size(), kLongestWrite));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail("write failed", count < 0 ? errno : EIO);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    written_ += static_cast<std::uint64_t>(count);
  }
}

void AtomicFile::commit() {
  if (const int cause = sync_descriptor(file_)) fail("sync failed", cause);
  // Renamed before closing: closing releases the lock, and anybody may remove an unlocked
  // temporary.
  if (call_rename(temporary_.c_str(), path_.c_str()) != 0) fail("rename failed", errno);
  temporary_.clear();
  ::close(std::exchange(file_, -1));

  if (const int cause = sync_folder(folder_of(path_)))
    throw IoError(
        fmt::format("{}: written, but syncing its folder failed: {}; the new file is in place and "
                    "could be lost in a power cut",
                    path_.string(), std::strerror(cause)));
}

void AtomicFile::discard() {
  if (file_ < 0) return;
  ::unlink(temporary_.c_str());
  ::close(std::exchange(file_, -1));
}

void AtomicFile::fail(std::string_view what, int cause) {
  discard();
  const std::string where = written_ == 0 ? "" : fmt::format(" after {} bytes", written_);
  throw IoError(
      fmt::format("{}: {}{}: {}; {}{}", path_.string(), what, where, std::strerror(cause),
                  replaces_ ? "the previous file is kept as it was" : "no file was left behind",
                  advice_for(cause)));
}

void write_file_atomically(const fs::path& path, std::string_view content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

int sync_descriptor(int descriptor) {
  const auto& sync = file_calls().sync;
  while ((sync ? sync(descriptor) : ::fsync(descriptor)) != 0)
    if (errno != EINTR) return errno;
  return 0;
}

int sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return 0;
  const int cause = sync_descriptor(descriptor);
  ::close(descriptor);
  return cause == EINVAL || cause == ENOTSUP ? 0 : cause;
}

ScopedFileCalls::ScopedFileCalls(FileCalls calls)
    : previous_(std::exchange(file_calls(), std::move(calls))) {}
ScopedFileCalls::~ScopedFileCalls() { file_calls() = std::move(previous_); }

}  // namespace attend
