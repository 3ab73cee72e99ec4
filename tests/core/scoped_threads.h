// Another number of threads for a while.
#pragma once

#include "attend/core/parallel.h"

namespace attend {

class ScopedThreads {
 public:
  explicit ScopedThreads(int count) : before_(threads()) { set_threads(count); }
  ~ScopedThreads() { set_threads(before_); }
  ScopedThreads(const ScopedThreads&) = delete;
  ScopedThreads& operator=(const ScopedThreads&) = delete;

 private:
  int before_;
};

}  // namespace attend
