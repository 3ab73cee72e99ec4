// SIGINT and SIGTERM as a wish to stop that is granted at the next good moment. A second signal of the same kind ends the process at once.
#pragma once

#include <atomic>

namespace attend {

// While it lives, the two signals set a flag instead of ending the process. One at a time.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  const std::atomic<bool>& flag() const;
  int signal() const;  // that was received; 0: none
};

// Thrown when a command has ended early because of a signal, in good order; the program's exit status becomes 128 + signal, as a shell's
// would.
struct Interrupted {
  int signal;
};

}  // namespace attend
