// Turns termination signals into a stop request, granted at the next good moment: SIGINT, SIGTERM,
// SIGHUP (the terminal is gone) and SIGPIPE (the reader of the output is gone). A second signal of
// the same kind ends the process at once, except SIGPIPE, which recurs with every output. Signals
// that are ignored at start stay ignored: whoever started the program wants it to continue.
#pragma once

#include <signal.h>

#include <array>
#include <atomic>

namespace attend {

// During its lifetime, signals set a flag instead of ending the process. One instance at a time.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();  // restores the previous handlers
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  const std::atomic<bool>& flag() const;
  int signal() const;  // the first one received; 0: none

 private:
  static constexpr std::array<int, 4> kSignals{SIGINT, SIGTERM, SIGHUP, SIGPIPE};
  std::array<struct sigaction, kSignals.size()> before_{};
};

// Thrown when a signal ended a command early but cleanly; the exit status becomes 128 + signal, as
// in a shell.
struct Interrupted {
  int signal;
};

}  // namespace attend
