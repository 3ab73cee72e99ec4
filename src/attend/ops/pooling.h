#pragma once

#include "attend/autograd/variable.h"
#include "attend/backend/backend.h"
#include "attend/ops/embedding.h"

namespace attend {

// Pools the vectors of each sequence of a ragged batch over time (see Pooling): of equal maxima of
// a column the first alone receives the gradient. x [N, D], offsets [B+1] increasing from 0 to N ->
// [B, D]. Throws ShapeError, also for an empty sequence.
Variable pool(const Variable& x, const Ids& offsets, Pooling pooling);

}  // namespace attend
