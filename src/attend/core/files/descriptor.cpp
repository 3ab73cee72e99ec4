#include "attend/core/files/descriptor.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "attend/error.h"

namespace attend {
namespace {

// Whether a call that failed with `cause` may be retried, after waiting if it would have blocked.
bool may_try_again(int descriptor, short event, int cause) {
  if (cause == EINTR) return true;
  if (cause != EAGAIN && cause != EWOULDBLOCK) return false;
  pollfd wait{descriptor, event, 0};
  ::poll(&wait, 1, -1);  // errors are left to the next call
  return true;
}

}  // namespace

std::size_t read_some(int descriptor, char* to, std::size_t capacity, const std::string& name) {
  for (;;) {
    const ssize_t count = ::read(descriptor, to, capacity);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (may_try_again(descriptor, POLLIN, errno)) continue;
    if (errno == EBADF) throw IoError(fmt::format("cannot read {}: it is closed", name));
    if (errno == EISDIR)
      throw IoError(fmt::format("cannot read {}: it is a directory, expected text", name));
    throw IoError(fmt::format("cannot read {}: {}", name, std::strerror(errno)));
  }
}

bool can_be_read(int descriptor) {
  for (;;) {
    pollfd now{descriptor, POLLIN, 0};
    const int ready = ::poll(&now, 1, 0);
    if (ready >= 0) return ready > 0;
    if (errno != EINTR) return true;  // errors are left to the read
  }
}

int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count >= 0) {
      text.remove_prefix(static_cast<std::size_t>(count));
    } else if (!may_try_again(descriptor, POLLOUT, errno)) {
      return errno;
    }
  }
  return 0;
}

}  // namespace attend
