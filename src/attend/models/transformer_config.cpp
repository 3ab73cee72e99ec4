#include "attend/models/transformer_config.h"

#include "attend/core/options/option_fields.h"

namespace attend {

void validate(const TransformerConfig& c) {
  check_options(c);
  validate_stack(c);
  validate_vocabularies(c);
}

}  // namespace attend
