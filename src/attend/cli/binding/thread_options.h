// How many threads a command uses.
#pragma once

#include "attend/core/option_fields.h"
#include "attend/core/thread_pool.h"

namespace attend {

struct ThreadOptions {
  int threads = 0;
};

template <class Visitor>
void fields(ThreadOptions& o, Visitor&& visit) {
  visit("threads", o.threads, between(0, kMostThreads), "threads to compute with; 0: one for each physical core");
}

// Sets the number of threads of the process and returns it; tells it on standard error when that is a terminal. Throws ConfigError.
int use_threads(const ThreadOptions& options);

}  // namespace attend
