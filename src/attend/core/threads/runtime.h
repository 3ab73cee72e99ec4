// The execution context of a thread: a thread pool, and the kernels of a device.
//
// A runtime does not belong to the process. Create one per parallel job, share it as needed, and
// make it current on a thread within a scope:
//
//   const auto runtime = std::make_shared<Runtime>(RuntimeOptions{.threads = 4});
//   const RuntimeScope scope(runtime);  // this thread's loops run on these four threads
//
// Several threads may use one runtime; their loops take turns. Loops of two runtimes run in
// parallel.
#pragma once

#include <cstdint>
#include <memory>

#include "attend/core/threads/thread_pool.h"
#include "attend/runtime.h"

namespace attend {

class Backend;  // defined in backend/backend.h; only named here
class Memory;   // tensor/memory.h

// The memory of tensors and the kernels that use it. Both outlive every runtime.
struct Device {
  Memory* memory = nullptr;    // null: host memory
  Backend* backend = nullptr;  // null: the default of backend/backend.h
};

struct RuntimeOptions {
  int threads = ThreadOptions{}.threads;  // 0: default_threads()
  Device device = {};                     // the CPU by default
};

class Runtime : public std::enable_shared_from_this<Runtime> {
 public:
  // Owned by a shared_ptr. Throws ConfigError unless options.threads is 0 .. kMostThreads.
  explicit Runtime(const RuntimeOptions& options = {});

  int threads() const { return pool_.threads(); }
  const Device& device() const { return device_; }

  // ThreadPool::run() on the threads of this runtime, which is current in every body.
  void run(std::int64_t count, IndexBody body);

  // The runtime of the calling thread: that of its innermost scope; inside a loop body, that of the
  // loop. Otherwise the default runtime, created at first use with RuntimeOptions{} and never
  // destroyed. To pass it to another thread, use Runtime::current().shared_from_this().
  static Runtime& current();

 private:
  ThreadPool pool_;
  Device device_;
};

// Makes a runtime current on the calling thread, and restores the previous one at the end. Scopes
// must end on that thread, in reverse order.
class RuntimeScope {
 public:
  // `runtime` is not null.
  explicit RuntimeScope(std::shared_ptr<Runtime> runtime);
  // Creates a new runtime.
  explicit RuntimeScope(const RuntimeOptions& options);
  ~RuntimeScope();
  RuntimeScope(const RuntimeScope&) = delete;
  RuntimeScope& operator=(const RuntimeScope&) = delete;

 private:
  std::shared_ptr<Runtime> runtime_;
  Runtime* previous_;
};

}  // namespace attend
