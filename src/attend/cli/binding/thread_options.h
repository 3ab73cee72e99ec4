// How many threads a command uses.
#pragma once

#include "attend/core/runtime.h"
#include "attend/core/thread_options.h"

namespace attend {

// The runtime of a command, current for as long as the scope lives. Tells the number of its threads
// on standard error when that is a terminal. Throws ConfigError.
[[nodiscard]] RuntimeScope enter_runtime(const ThreadOptions& options);

}  // namespace attend
