#include "attend/checkpoint/run_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "attend/error.h"

namespace attend {

namespace fs = std::filesystem;

namespace {

constexpr const char* kLockName = ".lock";
constexpr int kSafely =
    O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;  // not inherited, and never blocks on a device or pipe

enum class LockAttempt { taken, refused, impossible };

// Retries for a moment, because somebody may only be checking the lock.
LockAttempt try_to_lock(int file) {
  constexpr int kTries = 10;
  constexpr useconds_t kPause = 10'000;
  for (int tries = 1;;) {
    if (::flock(file, LOCK_EX | LOCK_NB) == 0) return LockAttempt::taken;
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return LockAttempt::impossible;
    if (tries++ == kTries) return LockAttempt::refused;
    ::usleep(kPause);
  }
}

// " (process 17)", if the file holds its number.
std::string holder_in(int file) {
  std::array<char, 16> text{};
  const ssize_t count = ::pread(file, text.data(), text.size(), 0);
  const std::string number(text.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  const std::size_t digits = std::min(number.find_first_not_of("0123456789"), number.size());
  return digits == 0 ? "" : fmt::format(" (process {})", number.substr(0, digits));
}

[[noreturn]] void refuse_second_run(const fs::path& folder, const std::string& holder) {
  throw ConfigError(fmt::format(
      "{}: another run is active in this folder{}; wait until it ends, or choose another folder",
      folder.string(), holder));
}

// The holder may have removed the file between our opening and locking it.
bool has_a_name(int file) {
  struct stat status {};
  return ::fstat(file, &status) != 0 || status.st_nlink > 0;
}

}  // namespace

RunLock::RunLock(const fs::path& folder) : path_(folder / kLockName) {
  for (;;) {
    file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | kSafely, 0666);
    if (file_ < 0 && errno == EINTR) continue;
    if (file_ < 0)
      throw IoError(fmt::format("{}: cannot write: {}", path_.string(), std::strerror(errno)));
    const LockAttempt attempt = try_to_lock(file_);
    const std::string holder = attempt == LockAttempt::refused ? holder_in(file_) : "";
    if (attempt != LockAttempt::refused && has_a_name(file_)) break;
    ::close(std::exchange(file_, -1));
    if (attempt == LockAttempt::refused) refuse_second_run(folder, holder);
  }
  // For messages; on a full disk the lock works without.
  const std::string number = fmt::format("{}\n", ::getpid());
  if (::ftruncate(file_, 0) == 0)
    static_cast<void>(::pwrite(file_, number.data(), number.size(), 0) == 0);
}

RunLock::~RunLock() {
  // Before releasing the lock: afterwards the file may belong to another run.
  ::unlink(path_.c_str());
  ::close(file_);
}

void RunLock::require_free(const fs::path& folder) {
  const int file = ::open((folder / kLockName).c_str(), O_RDWR | kSafely);
  if (file < 0) return;
  const bool free = try_to_lock(file) != LockAttempt::refused;
  const std::string holder = free ? "" : holder_in(file);
  ::close(file);
  if (!free) refuse_second_run(folder, holder);
}

}  // namespace attend
