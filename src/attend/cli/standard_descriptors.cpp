#include "attend/cli/standard_descriptors.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "attend/error.h"

namespace attend {

void fill_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // Opened for the opposite direction, so that reading or writing gives EBADF. The lowest free
    // descriptor is this one.
    if (::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
      throw IoError(
          fmt::format("descriptor {} is closed, and /dev/null cannot be opened for it: {}",
                      descriptor, std::strerror(errno)));
  }
}

void silence_standard_output() {
  const int nothing = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nothing < 0 || ::dup2(nothing, STDOUT_FILENO) < 0)
    throw IoError(fmt::format("standard output cannot be dropped: {}", std::strerror(errno)));
  ::close(nothing);
}

}  // namespace attend
