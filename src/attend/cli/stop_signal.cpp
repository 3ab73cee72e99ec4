#include "attend/cli/stop_signal.h"

#include <csignal>

namespace attend {

namespace {

std::atomic<bool> stop_requested{false};
std::atomic<int> received{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free, "what a signal handler touches");

extern "C" void request_stop(int signal) {
  received = signal;
  stop_requested = true;
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

}  // namespace

StopSignal::StopSignal() {
  stop_requested = false;
  received = 0;
  handle(SIGINT, request_stop);
  handle(SIGTERM, request_stop);
}

StopSignal::~StopSignal() {
  handle(SIGINT, SIG_DFL);
  handle(SIGTERM, SIG_DFL);
}

const std::atomic<bool>& StopSignal::flag() const { return stop_requested; }

int StopSignal::signal() const { return received; }

}  // namespace attend
