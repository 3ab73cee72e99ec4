#include "attend/models/recurrent_config.h"

#include "attend/core/option_check.h"

namespace attend {

void validate(const RecurrentConfig& c) {
  validate(static_cast<const EncoderDecoderConfig&>(c));
  require_at_least("d-hidden", c.d_hidden, 0);
  require_at_least("d-attention", c.d_attention, 0);
}

}  // namespace attend
