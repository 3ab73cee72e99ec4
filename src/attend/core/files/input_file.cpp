#include "attend/core/files/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "attend/core/files/descriptor.h"
#include "attend/error.h"

namespace attend {

namespace {

std::int64_t time_written(const struct stat& status) {
  return std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

}  // namespace

InputFile::InputFile(const std::filesystem::path& path) : path_(path.string()) {
  descriptor_ =
      ::open(path_.c_str(), O_RDONLY | O_CLOEXEC |
                                O_NONBLOCK);  // reject a pipe without a writer instead of waiting
  if (descriptor_ < 0)
    throw IoError(fmt::format("{}: cannot open: {}", path_, std::strerror(errno)));
  struct stat status {};
  const int failed = ::fstat(descriptor_, &status) != 0 ? errno : 0;
  if (failed == 0 && S_ISREG(status.st_mode)) {
    size_ = static_cast<std::uint64_t>(status.st_size);
    written_ = time_written(status);
    return;
  }
  ::close(descriptor_);
  if (failed != 0) throw IoError(fmt::format("{}: cannot read: {}", path_, std::strerror(failed)));
  throw DataError(fmt::format("{}: it is {}, expected a file", path_,
                              S_ISDIR(status.st_mode) ? "a directory" : "a device or a pipe"));
}

InputFile::InputFile(std::string name, std::string_view content)
    : path_(std::move(name)), size_(content.size()) {
  descriptor_ = ::memfd_create("content", MFD_CLOEXEC);
  const int failed = descriptor_ < 0 ? errno : write_all(descriptor_, content);
  struct stat status {};
  if (failed == 0 && ::fstat(descriptor_, &status) == 0) {
    written_ = time_written(status);
    return;
  }
  if (descriptor_ >= 0) ::close(descriptor_);
  throw IoError(fmt::format("{}: cannot keep it in memory: {}", path_, std::strerror(failed)));
}

InputFile::~InputFile() { ::close(descriptor_); }

void InputFile::require_unchanged() const {
  struct stat now {};
  if (::fstat(descriptor_, &now) == 0 && static_cast<std::uint64_t>(now.st_size) == size_ &&
      time_written(now) == written_)
    return;
  throw IoError(fmt::format("{}: it was written to since it was loaded; load it again", path_));
}

void InputFile::require_in_place() const {
  struct stat own {};
  struct stat named {};
  if (::fstat(descriptor_, &own) == 0 && ::stat(path_.c_str(), &named) == 0 &&
      own.st_dev == named.st_dev && own.st_ino == named.st_ino)
    return;
  throw IoError(fmt::format("{}: it was replaced since it was loaded; load it again", path_));
}

void InputFile::read(std::uint64_t begin, std::span<std::byte> to) const {
  while (!to.empty()) {
    const ssize_t count = ::pread(descriptor_, to.data(), to.size(), static_cast<off_t>(begin));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw IoError(fmt::format("{}: cannot read: {}", path_, std::strerror(errno)));
    if (count == 0)
      throw DataError(fmt::format(
          "{}: expected {} bytes, found {}: it was truncated during reading; is it being written?",
          path_, size_, begin));
    begin += static_cast<std::uint64_t>(count);
    to = to.subspan(static_cast<std::size_t>(count));
  }
}

}  // namespace attend
