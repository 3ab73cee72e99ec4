#include "attend/core/files/temporaries.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <string>
#include <system_error>

#include "attend/core/files/atomic_file.h"

namespace attend {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kSuffix = ".attend-tmp";
constexpr std::time_t kDay = 24 * 60 * 60;

// As it is written in names: short and without dots.
std::string host_name() {
  constexpr std::size_t kLongest = 60;
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "unknown";
  std::string host = std::string(name.data()).substr(0, kLongest);
  std::replace_if(
      host.begin(), host.end(), [](char c) { return c == '.' || c == '/' || c == '@'; }, '_');
  return host;
}

// Empty where a name of older versions says none.
std::string_view host_in(std::string_view name) {
  name.remove_suffix(kSuffix.size());
  const std::size_t at = name.rfind('@');
  return at == name.npos || at < name.rfind('.') ? std::string_view() : name.substr(at + 1);
}

// A file of older versions belongs to this host, as they assumed; their folders were not locked.
bool is_locked_here(std::string_view name, bool is_folder) {
  const std::string_view host = host_in(name);
  return host.empty() ? !is_folder : host == host_name();
}

bool remove_if_abandoned(const fs::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return false;
  const bool is_folder = S_ISDIR(status.st_mode);
  const std::string name = path.filename().string();
  if (!is_locked_here(name, is_folder) && std::time(nullptr) - status.st_mtime < kDay) return false;
  const int access = is_folder ? O_RDONLY | O_DIRECTORY : O_RDWR;
  const int file = ::open(path.c_str(), access | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return false;
  bool removed = false;
  if (::flock(file, LOCK_EX | LOCK_NB) == 0) {
    std::error_code error;
    removed = fs::remove_all(path, error) > 0 && !error;
  }
  ::close(file);
  return removed;
}

}  // namespace

fs::path temporary_beside(const fs::path& path) {
  static std::atomic<unsigned> counter{0};
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const std::string name = path.filename().string().substr(0, 140);  // NAME_MAX is 255
  return folder / fmt::format(".{}.{}-{}@{}{}", name, ::getpid(), counter++, host_name(), kSuffix);
}

bool is_temporary_name(std::string_view name) {
  return name.size() > kSuffix.size() && name.front() == '.' && name.ends_with(kSuffix);
}

bool lock_temporary(int descriptor, const fs::path& path) {
  int locked = 0;
  do locked = ::flock(descriptor, LOCK_EX);
  while (locked != 0 && errno == EINTR);
  if (locked != 0) return true;
  struct stat mine {
  }, named{};
  if (::fstat(descriptor, &mine) != 0) return true;
  return ::lstat(path.c_str(), &named) == 0 && mine.st_ino == named.st_ino &&
         mine.st_dev == named.st_dev;
}

int remove_abandoned_temporaries(const fs::path& folder) {
  int removed = 0;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (is_temporary_name(entry->path().filename().native()) && remove_if_abandoned(entry->path()))
      ++removed;
  }
  return removed;
}

}  // namespace attend
