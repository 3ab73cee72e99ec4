#include "attend/tasks/training/replay.h"

#include "attend/core/options/option_error.h"
#include "attend/core/options/option_fields.h"
#include "attend/error.h"

namespace attend {

void check_replay(const ReplayWeights& options, bool has_initial_model, bool has_teachers) {
  check_options(options);
  if (options.distill_weight > 0.0f && !has_initial_model && !has_teachers)
    throw OptionError<ConfigError>("{}: expected a model to learn from ({} or {}), got none",
                                   as_key("distill-weight"), as_flag("teachers"),
                                   as_flag("init-from"));
  if (options.distill_weight == 0.0f && has_teachers)
    throw OptionError<ConfigError>("{}: expected a weight of what they teach, {} above 0",
                                   as_key("teachers"), as_flag("distill-weight"));
}

}  // namespace attend
