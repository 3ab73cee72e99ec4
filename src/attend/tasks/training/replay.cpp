#include "attend/tasks/training/replay.h"

#include "attend/core/options/option_fields.h"
#include "attend/error.h"

namespace attend {

void check_replay(const ReplayWeights& options, bool has_initial_model) {
  check_options(options);
  if (options.distill_weight > 0.0f && !has_initial_model)
    throw ConfigError("distill-weight: expected a model to learn from (--init-from), got none");
}

}  // namespace attend
