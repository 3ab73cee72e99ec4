#include "attend/core/child_process.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <thread>

#include "attend/core/files/descriptor.h"
#include "attend/core/threads/interruption.h"
#include "attend/error.h"

namespace attend {
namespace {

// After the last byte: the answer is complete.
constexpr char kEnd = '.';

// A file in memory, which parent and child share.
class MemoryFile {
 public:
  MemoryFile() : file_(::memfd_create("answer", MFD_CLOEXEC)) {}
  ~MemoryFile() {
    if (is_open()) ::close(file_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  bool is_open() const { return file_ >= 0; }
  bool write(std::string_view bytes) const { return write_all(file_, bytes) == 0; }
  std::string content() const {
    std::string bytes;
    std::array<char, 1 << 16> part;
    ::lseek(file_, 0, SEEK_SET);
    while (const std::size_t count = read_some(file_, part.data(), part.size(), "the answer"))
      bytes.append(part.data(), count);
    return bytes;
  }

 private:
  int file_;
};

// A child of this process, which ends with it. It blocks all signals: those of a terminal are for
// the parent, and a handler would write into what both share.
class Child {
 public:
  // Only the parent returns. Nothing of it, such as its buffers, is cleaned up twice.
  template <class Work>
  explicit Child(const Work& work) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    process_ = ::fork();
    if (process_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::_exit(work() ? 0 : 1);
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  ~Child() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    has_ended(0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  bool exists() const { return process_ > 0; }
  // Also if someone else has taken note of its end. `options`: of waitpid().
  bool has_ended(int options) {
    pid_t seen = 0;
    while ((seen = ::waitpid(process_, nullptr, options)) < 0 && errno == EINTR) continue;
    if (seen != 0) process_ = 0;
    return seen != 0;
  }

 private:
  pid_t process_ = -1;
};

// `work` may throw nothing; a lack of memory may.
bool answer(const std::function<std::string()>& work, const MemoryFile& file) {
  const Uninterrupted whole;  // the parent looks
  try {
    return file.write(work() + kEnd);
  } catch (...) {
    return false;
  }
}

// Waits longer and longer: short work ends soon.
void wait_for(Child& child) {
  constexpr std::chrono::milliseconds kLongest{50};
  std::chrono::milliseconds pause{1};
  while (!child.has_ended(WNOHANG)) {
    look_for_interruption();
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, kLongest);
  }
}

}  // namespace

std::string in_child_process(const std::function<std::string()>& work) {
  const MemoryFile file;
  if (!file.is_open()) return work();
  Child child([&] { return answer(work, file); });
  if (!child.exists()) return work();
  wait_for(child);
  std::string bytes = file.content();
  if (!bytes.ends_with(kEnd))
    throw IoError(
        "a process that was started for this ended without an answer; is there enough memory?");
  bytes.pop_back();
  return bytes;
}

}  // namespace attend
