// What a thread computes with: a pool of threads, and the kernels of a device.
//
// A runtime does not belong to the process. Make as many as there are jobs to run side by side,
// share each with whoever works with it, and make it the current one of a thread for as long as a
// scope lives:
//
//   const auto runtime = std::make_shared<Runtime>(RuntimeOptions{.threads = 4});
//   const RuntimeScope scope(runtime);  // this thread's loops run on these four threads
//
// Several threads may enter one runtime: their loops then follow one another. Loops of two runtimes
// run side by side.
#pragma once

#include <cstdint>
#include <memory>

#include "attend/core/thread_pool.h"
#include "attend/runtime.h"

namespace attend {

class Backend;  // backend/backend.h; here both are only named
class Memory;   // tensor/memory.h

// Where tensors live and the kernels that work there. Both outlive every runtime.
struct Device {
  Memory* memory = nullptr;    // null: that of the host
  Backend* backend = nullptr;  // null: the default of backend/backend.h
};

// Physical cores that this process may use.
int physical_cores();

struct RuntimeOptions {
  int threads = ThreadOptions{}.threads;  // 0: one for each physical core
  Device device = {};                     // the CPU, unless it names another
};

class Runtime : public std::enable_shared_from_this<Runtime> {
 public:
  // Owned by a shared_ptr. Throws ConfigError unless options.threads is 0 .. kMostThreads.
  explicit Runtime(const RuntimeOptions& options = {});

  int threads() const { return pool_.threads(); }
  const Device& device() const { return device_; }

  // ThreadPool::run() on the threads of this runtime, which is current in every body.
  void run(std::int64_t count, IndexBody body);

  // The one of the calling thread: that of its innermost scope; in the body of a loop, that of the
  // thread that runs the loop; where there is neither, the default runtime, made at the first use
  // with RuntimeOptions{} and never destroyed. To hand it to another thread:
  // Runtime::current().shared_from_this().
  static Runtime& current();

 private:
  ThreadPool pool_;
  Device device_;
};

// Makes a runtime the current one of the calling thread, and at its end the one before. Ends on
// that thread, and scopes in the reverse of their order.
class RuntimeScope {
 public:
  // `runtime` is not null.
  explicit RuntimeScope(std::shared_ptr<Runtime> runtime);
  // A runtime of its own.
  explicit RuntimeScope(const RuntimeOptions& options);
  ~RuntimeScope();
  RuntimeScope(const RuntimeScope&) = delete;
  RuntimeScope& operator=(const RuntimeScope&) = delete;

 private:
  std::shared_ptr<Runtime> runtime_;
  Runtime* previous_;
};

}  // namespace attend
