#include "attend/cli/binding/model_path.h"

#include <optional>

#include "attend/cli/output.h"
#include "attend/cli/progress_line.h"
#include "attend/interchange/import_cache.h"

namespace attend {

std::string model_path(const std::string& named) {
  std::optional<ProgressLine> progress;
  const UsableModel model = usable_model(named, [&] {
    progress.emplace("importing " + shown_path(named), "", progress_on_standard_error(false));
  });
  if (progress) progress->end();
  // Not among the answers, which programs read.
  for (const std::string& note : model.remarks) tell("{}\n", note);
  return model.path.string();
}

}  // namespace attend
