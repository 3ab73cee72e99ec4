// Another backend for a while, on this thread.
#pragma once

#include "attend/backend/backend.h"
#include "attend/core/threads/runtime.h"

namespace attend {

class ScopedBackend {
 public:
  explicit ScopedBackend(Backend& backend)
      : scope_({.threads = Runtime::current().threads(), .device = {.backend = &backend}}) {}

 private:
  RuntimeScope scope_;
};

}  // namespace attend
