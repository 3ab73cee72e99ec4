// Long work that can be ended from outside, such as with Ctrl-C in Python.
//
// A thread that wants this opens a scope. Whatever works there looks between its parts whether it
// is to end:
//
//   const InterruptionScope scope([] { if (asked_to_end()) throw Ended(); });
//   compute();  // calls look_for_interruption() many times a second
//
// The scope also holds for the threads that help it in parallel loops (core/threads/runtime.h). The
// thread of the scope asks, the others read a flag.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <thread>

namespace attend {

// Scopes of a thread must end there, in reverse order.
class InterruptionScope {
 public:
  // `look` is called on this thread, about ten times a second, also within parallel loops. What it
  // throws ends the work: it is thrown at every later look of any thread, so that it does not
  // matter if a part of the work goes on after an error.
  explicit InterruptionScope(std::function<void()> look);
  ~InterruptionScope();
  InterruptionScope(const InterruptionScope&) = delete;
  InterruptionScope& operator=(const InterruptionScope&) = delete;

  // What look() has thrown; null: nothing yet. For this thread.
  const std::exception_ptr& interruption() const { return interruption_; }

  // Calls look() if it is time to, on the thread of the scope. Throws nothing.
  void ask() noexcept;
  // The same; then throws what look() has thrown, also on other threads.
  void look();

 private:
  const std::function<void()> look_;
  const std::thread::id thread_;
  std::exception_ptr interruption_;  // set once, before ended_
  std::atomic<bool> ended_ = false;
  std::chrono::steady_clock::time_point last_;
  InterruptionScope* const outer_;
};

// Throws what the scope of this thread says. Does nothing without a scope, and in destructors that
// run because of another exception.
void look_for_interruption();

// Whether the work in the scope of this thread has been ended.
bool is_interrupted();

// The scope of this thread; null: none.
InterruptionScope* interruption_scope();

// During its lifetime this thread has the scope of the thread that it helps.
class SharedInterruption {
 public:
  explicit SharedInterruption(InterruptionScope* scope);
  ~SharedInterruption();
  SharedInterruption(const SharedInterruption&) = delete;
  SharedInterruption& operator=(const SharedInterruption&) = delete;

 private:
  InterruptionScope* const before_;
};

// During its lifetime nothing on this thread is interrupted: for what is done as a whole.
class Uninterrupted : SharedInterruption {
 public:
  Uninterrupted() : SharedInterruption(nullptr) {}
};

}  // namespace attend
