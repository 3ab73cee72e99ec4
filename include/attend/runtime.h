// The threads that a job computes with.
//
// Nothing in the library belongs to the process. A program that does one thing at a time need not
// care: without a runtime a job runs on the default one, which has a thread for each physical core
// and is made at its first use. A program that runs jobs side by side gives each its own, so that
// they do not wait for each other:
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

// What can be chosen.
struct ThreadOptions {
  int threads = 0;  // 0: one for each physical core that the process may use
};

// A pool of threads. Its threads end with the last owner.
class Runtime;

// Throws ConfigError for a number of threads that is negative or beyond 1024.
std::shared_ptr<Runtime> make_runtime(const ThreadOptions& options = {});

// The number of threads, that of the caller included.
int threads_of(const Runtime& runtime);

}  // namespace attend
#pragma GCC visibility pop
