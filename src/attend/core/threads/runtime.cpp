#include "attend/core/threads/runtime.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "attend/core/threads/cpu_quota.h"
#include "attend/core/threads/interruption.h"

namespace attend {

namespace {

// Counts the distinct cores among the CPUs of this process's affinity mask; hyper-threads of one
// core share a sibling list.
int count_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0)
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  std::set<std::string> cores;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &set)) continue;
    std::string siblings;
    std::ifstream file(
        fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu));
    if (!std::getline(file, siblings)) siblings = fmt::format("cpu{}", cpu);
    cores.insert(siblings);
  }
  return std::max<int>(1, static_cast<int>(cores.size()));
}

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

int physical_cores() {
  static const int cores = count_cores();
  return cores;
}

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
