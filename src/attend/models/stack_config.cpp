#include "attend/models/stack_config.h"

#include <fmt/format.h>

#include "attend/error.h"

namespace attend {

void validate_stack(const StackConfig& c) {
  if (c.d_model % c.n_heads != 0 && (c.d_key == 0 || c.d_value == 0))
    throw ConfigError(fmt::format(
        "n-heads: {} does not divide d-model {}; choose a divisor, or set d-key and d-value",
        c.n_heads, c.d_model));
}

}  // namespace attend
