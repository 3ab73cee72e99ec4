#include "attend/decode/step_model.h"

#include <cmath>

#include "attend/core/error.h"

namespace attend {

void require_probabilities(float highest) {
  if (!std::isfinite(highest))
    throw DataError(
        "decoding: expected logits that are numbers, got NaN or infinity: the model's weights are damaged, or its training diverged; use "
        "another checkpoint");
}

}  // namespace attend
