// The number of threads of a command.
#pragma once

#include "attend/core/options/thread_options.h"
#include "attend/core/threads/runtime.h"

namespace attend {

// The runtime of a command, current within the scope. Reports its number of threads on standard
// error if that is a terminal. Throws ConfigError.
[[nodiscard]] RuntimeScope enter_runtime(const ThreadOptions& options);

}  // namespace attend
