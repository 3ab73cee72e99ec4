// The number of threads as a named option.
#pragma once

#include "attend/core/options/option_fields.h"
#include "attend/core/threads/thread_pool.h"
#include "attend/runtime.h"

namespace attend {

template <class Visitor>
void fields(ThreadOptions& o, Visitor&& visit) {
  visit("threads", o.threads, between(0, kMostThreads),
        "threads to compute with; 0: one for each fast physical core, at most the CPU quota of the "
        "container, rounded up");
}

}  // namespace attend
