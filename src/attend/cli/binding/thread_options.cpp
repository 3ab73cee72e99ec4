#include "attend/cli/binding/thread_options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "attend/cli/output.h"
#include "attend/core/options/option_fields.h"
#include "attend/core/strings/counted.h"
#include "attend/error.h"

namespace attend {

RuntimeScope enter_runtime(const ThreadOptions& options) {
  check_options(options);
  const auto runtime = std::make_shared<Runtime>(RuntimeOptions{.threads = options.threads});
  if (isatty(STDERR_FILENO) == 1) tell("{}\n", counted(runtime->threads(), "thread"));
  return RuntimeScope(runtime);
}

}  // namespace attend
