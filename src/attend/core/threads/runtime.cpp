#include "attend/core/threads/runtime.h"

#include <utility>

#include "attend/core/threads/cpu_quota.h"
#include "attend/core/threads/interruption.h"

namespace attend {

namespace {

thread_local Runtime* current_runtime = nullptr;  // null: the default runtime

// Never destroyed: when the process ends, other threads may still be in a loop.
Runtime& default_runtime() {
  static const auto& runtime = *new std::shared_ptr<Runtime>(std::make_shared<Runtime>());
  return *runtime;
}

// Sets current_runtime during its lifetime.
class Current {
 public:
  explicit Current(Runtime* runtime) : before_(std::exchange(current_runtime, runtime)) {}
  ~Current() { current_runtime = before_; }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  Runtime* before_;
};

}  // namespace

std::shared_ptr<Runtime> make_runtime(const ThreadOptions& options) {
  return std::make_shared<Runtime>(RuntimeOptions{.threads = options.threads});
}

int threads_of(const Runtime& runtime) { return runtime.threads(); }

Runtime::Runtime(const RuntimeOptions& options)
    : pool_(options.threads == 0 ? default_threads().count() : options.threads),
      device_(options.device) {}

void Runtime::run(std::int64_t count, IndexBody body) {
  const auto body_here = [this, body, scope = interruption_scope()](std::int64_t index) {
    const Current here(this);
    const SharedInterruption interruption(scope);
    body(index);
  };
  pool_.run(count, IndexBody(body_here));
}

Runtime& Runtime::current() {
  return current_runtime != nullptr ? *current_runtime : default_runtime();
}

RuntimeScope::RuntimeScope(std::shared_ptr<Runtime> runtime)
    : runtime_(std::move(runtime)), previous_(std::exchange(current_runtime, runtime_.get())) {}

RuntimeScope::RuntimeScope(const RuntimeOptions& options)
    : RuntimeScope(std::make_shared<Runtime>(options)) {}

RuntimeScope::~RuntimeScope() { current_runtime = previous_; }

}  // namespace attend
