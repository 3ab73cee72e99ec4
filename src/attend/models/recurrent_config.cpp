#include "attend/models/recurrent_config.h"

#include "attend/core/options/option_fields.h"

namespace attend {

void validate(const RecurrentConfig& c) {
  check_options(c);
  validate_vocabularies(c);
}

}  // namespace attend
