#include "attend/cli/thread_options.h"

#include <fmt/format.h>

#include "attend/core/error.h"
#include "attend/core/parallel.h"

namespace attend {

int use_threads(const ThreadOptions& options) {
  if (options.threads < 0) throw ConfigError(fmt::format("--threads: expected at least 0, got {}", options.threads));
  set_threads(options.threads == 0 ? physical_cores() : options.threads);
  return threads();
}

}  // namespace attend
