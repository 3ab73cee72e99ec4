#include "attend/core/threads/interruption.h"

#include <utility>

namespace attend {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{100};

thread_local InterruptionScope* current_scope = nullptr;

}  // namespace

InterruptionScope::InterruptionScope(std::function<void()> look)
    : look_(std::move(look)),
      thread_(std::this_thread::get_id()),
      last_(std::chrono::steady_clock::now()),
      outer_(std::exchange(current_scope, this)) {}

InterruptionScope::~InterruptionScope() { current_scope = outer_; }

void InterruptionScope::ask() noexcept {
  if (ended_.load(std::memory_order_relaxed) || std::this_thread::get_id() != thread_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < kBetweenLooks) return;
  last_ = now;
  try {
    look_();
  } catch (...) {
    interruption_ = std::current_exception();
    ended_.store(true, std::memory_order_release);
  }
}

void InterruptionScope::look() {
  ask();
  if (ended_.load(std::memory_order_acquire)) std::rethrow_exception(interruption_);
}

void look_for_interruption() {
  if (current_scope != nullptr && std::uncaught_exceptions() == 0) current_scope->look();
}

bool is_interrupted() {
  return current_scope != nullptr && current_scope->interruption() != nullptr;
}

InterruptionScope* interruption_scope() { return current_scope; }

SharedInterruption::SharedInterruption(InterruptionScope* scope)
    : before_(std::exchange(current_scope, scope)) {}

SharedInterruption::~SharedInterruption() { current_scope = before_; }

}  // namespace attend
