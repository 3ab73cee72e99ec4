#pragma once

#include "attend/autograd/variable.h"
#include "attend/backend/backend.h"
#include "attend/ops/embedding.h"

namespace attend {

// The vectors of each sequence of a ragged batch made one, over time: the largest number of every
// column (of equal ones the first, which alone receives the gradient), the mean, or the vector of
// the first token. x [N, D], offsets [B+1] rising from 0 to N -> [B, D]. Throws ShapeError, and for
// a sequence without tokens too.
Variable pool(const Variable& x, const Ids& offsets, Pooling pooling);

}  // namespace attend
