// The threads that a job uses.
//
// The library keeps no process-wide state. A program that runs one job at a time can ignore this
// header: without a runtime, a job uses the default one, which has the default number of threads
// and is created at first use. To run jobs in parallel, give each its own runtime:
//
//   const auto few = attend::make_runtime({.threads = 2});
//   const auto translator = attend::Translator::load("model.safetensors", few);
//
// Jobs that share a runtime take turns, loop by loop. Results do not depend on the runtime: the
// same input gives the same output, bit for bit, with any number of threads.
#pragma once

#include <memory>

#pragma GCC visibility push(default)
namespace attend {

// Options of a runtime.
struct ThreadOptions {
  int threads = 0;  // 0: one per fast physical core of this process, at most its CPU quota
};

// A thread pool. Its threads end with its last owner.
class Runtime;

// Throws ConfigError for a negative number of threads or more than 1024.
std::shared_ptr<Runtime> make_runtime(const ThreadOptions& options = {});

// The number of threads, including the caller's.
int threads_of(const Runtime& runtime);

}  // namespace attend
#pragma GCC visibility pop
