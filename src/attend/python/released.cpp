#include "attend/python/released.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <exception>
#include <utility>

#include "attend/python/module.h"

namespace nb = nanobind;

namespace attend {
namespace {

thread_local std::shared_ptr<std::atomic<bool>> ended_here;  // null: no Ending rules this thread

thread_local std::optional<bool> main_here;
// The thread that forks is the main thread of the child.
[[maybe_unused]] const int main_is_known =
    pthread_atfork(nullptr, nullptr, [] { main_here = true; });

bool on_main_thread() {
  if (!main_here) main_here = ::syscall(SYS_gettid) == ::getpid();
  return *main_here;
}

}  // namespace

void Ending::rule_this_thread() const { ended_here = ended_; }

void look_at_signals() {
  const nb::gil_scoped_acquire acquired;
  if (PyErr_CheckSignals() == 0) return;
  throw PythonInterruption{nb::python_error()};  // which fetches the exception
}

Released::Released(std::function<void()> look_at_signals)
    : sees_signals_(ended_here == nullptr && on_main_thread()) {
  if (sees_signals_) {
    scope_.emplace(std::move(look_at_signals));
  } else if (ended_here != nullptr) {
    scope_.emplace([] {
      if (*ended_here) throw WorkEnded();
    });
  }
}

// If the work has ended well before it saw the signal, Python interrupts what follows.
Released::~Released() {
  if (sees_signals_ && scope_->interruption() && std::uncaught_exceptions() == 0)
    PyErr_SetInterrupt();
}

void add_interruption(nb::module_& module) {
  nb::class_<Ending>(module, "Ending")
      .def(nb::init<>())
      .def("rule_this_thread", &Ending::rule_this_thread)
      .def("end", &Ending::end);
}

}  // namespace attend
