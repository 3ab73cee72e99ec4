// Another number of threads for a while, on this thread.
#pragma once

#include "attend/core/threads/runtime.h"

namespace attend {

class ScopedThreads {
 public:
  explicit ScopedThreads(int count)
      : scope_({.threads = count, .device = Runtime::current().device()}) {}

 private:
  RuntimeScope scope_;
};

}  // namespace attend
