#include "attend/tasks/training/replay.h"

#include "attend/core/options/option_error.h"
#include "attend/core/options/option_fields.h"
#include "attend/error.h"

namespace attend {

void check_replay(const ReplayWeights& options, bool has_initial_model) {
  check_options(options);
  if (options.distill_weight > 0.0f && !has_initial_model)
    throw OptionError<ConfigError>("{}: expected a model to learn from ({}), got none",
                                   as_key("distill-weight"), as_flag("init-from"));
}

}  // namespace attend
