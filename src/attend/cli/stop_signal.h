// The signals that ask a program to end as a wish to stop that is granted at the next good moment:
// SIGINT, SIGTERM, SIGHUP (the terminal is gone) and SIGPIPE (whoever read its output is). A second
// signal of the same kind ends the process at once, but for SIGPIPE, which comes again with
// everything that is printed. Those that are ignored when it begins stay so: whoever started the
// program wants it to go on.
#pragma once

#include <signal.h>

#include <array>
#include <atomic>

namespace attend {

// While it lives, the signals set a flag instead of ending the process. One at a time.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();  // what the signals did before, they do again
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  const std::atomic<bool>& flag() const;
  int signal() const;  // that was received first; 0: none

 private:
  static constexpr std::array<int, 4> kSignals{SIGINT, SIGTERM, SIGHUP, SIGPIPE};
  std::array<struct sigaction, kSignals.size()> before_{};
};

// Thrown when a command has ended early because of a signal, in good order; the program's exit
// status becomes 128 + signal, as a shell's would.
struct Interrupted {
  int signal;
};

}  // namespace attend
