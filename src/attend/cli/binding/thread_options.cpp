#include "attend/cli/binding/thread_options.h"

#include <fmt/format.h>
#include <unistd.h>

#include "attend/cli/output.h"
#include "attend/core/error.h"
#include "attend/core/option_fields.h"
#include "attend/core/parallel.h"

namespace attend {

int use_threads(const ThreadOptions& options) {
  check_options(options);
  set_threads(options.threads == 0 ? physical_cores() : options.threads);
  if (isatty(STDERR_FILENO) == 1) tell("{} threads\n", threads());
  return threads();
}

}  // namespace attend
