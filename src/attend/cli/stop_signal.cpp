#include "attend/cli/stop_signal.h"

namespace attend {

namespace {

std::atomic<bool> stop_requested{false};
std::atomic<int> received{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "what a signal handler touches");

extern "C" void request_stop(int signal) {
  int none = 0;
  received.compare_exchange_strong(none, signal);
  stop_requested = true;
}

}  // namespace

StopSignal::StopSignal() {
  stop_requested = false;
  received = 0;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = request_stop;
    action.sa_flags = kSignals[i] == SIGPIPE ? 0 : static_cast<int>(SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    sigaction(kSignals[i], &action, nullptr);
  }
}

StopSignal::~StopSignal() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

const std::atomic<bool>& StopSignal::flag() const { return stop_requested; }

int StopSignal::signal() const { return received; }

}  // namespace attend
