// Work without the interpreter's lock (GIL), which Ctrl-C ends.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>

#include "attend/core/threads/interruption.h"

namespace attend {

// What ends work from outside: an exception of Python, as that of its handler of SIGINT. It is no
// std::exception, so that nobody takes it for an error of a text. errors.cpp raises it.
struct PythonInterruption {
  nanobind::python_error error;
};

// The same for work that an Ending has ended: a GeneratorExit.
struct WorkEnded {};

// Ends the work of a thread, from any other.
class Ending {
 public:
  // Before any work of the calling thread, to the end of that thread.
  void rule_this_thread() const;
  void end() const { *ended_ = true; }

 private:
  std::shared_ptr<std::atomic<bool>> ended_ = std::make_shared<std::atomic<bool>>(false);
};

// Runs Python's signal handlers; throws PythonInterruption if one raises. Takes the GIL.
void look_at_signals();

// Releases the GIL during its lifetime, for work that may take long. Signals end what runs on the
// main thread, where Python handles them; an Ending ends that of the thread it rules; nothing ends
// work on other threads. Whoever works without the GIL may wait for it in a parallel loop, so
// whoever holds it must not begin one.
class Released {
 public:
  Released() : Released(look_at_signals) {}
  // `look_at_signals`: what to do on the main thread instead.
  explicit Released(std::function<void()> look_at_signals);
  ~Released();
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;

 private:
  nanobind::gil_scoped_release released_;
  const bool sees_signals_;
  std::optional<InterruptionScope> scope_;
};

}  // namespace attend
