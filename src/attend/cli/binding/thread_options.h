// How many threads a command uses.
#pragma once

#include "attend/core/option_fields.h"
#include "attend/core/runtime.h"

namespace attend {

struct ThreadOptions {
  int threads = 0;
};

template <class Visitor>
void fields(ThreadOptions& o, Visitor&& visit) {
  visit("threads", o.threads, between(0, kMostThreads), "threads to compute with; 0: one for each physical core");
}

// The runtime of a command, current for as long as the scope lives. Tells the number of its threads on standard error when that is a
// terminal. Throws ConfigError.
[[nodiscard]] RuntimeScope enter_runtime(const ThreadOptions& options);

}  // namespace attend
