#include "attend/models/stack/stack_config.h"

#include <fmt/format.h>

#include "attend/core/options/option_error.h"
#include "attend/error.h"

namespace attend {

void validate_stack(const StackConfig& c) {
  if (c.d_model % c.n_heads != 0 && (c.d_key == 0 || c.d_value == 0))
    throw OptionError<ConfigError>(
        "{}: {} does not divide {} {}; choose a divisor, or set {} and {}", as_key("n-heads"),
        c.n_heads, as_key("d-model"), c.d_model, as_key("d-key"), as_key("d-value"));
}

}  // namespace attend
