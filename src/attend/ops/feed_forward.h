#pragma once

#include "attend/autograd/variable.h"
#include "attend/backend/backend.h"

namespace attend {

// x -> x W^T + b.  weight [O, I], bias [O] or undefined.
struct AffineMap {
  Variable weight;
  Variable bias;
};

// outer(dropout(activation(inner(x)))), the position-wise feed-forward network (Vaswani et al. 2017, equation 2).  x [N, I], inner I -> F,
// outer F -> O; -> [N, O]. Of what is F wide, by far the most of a layer, only one tensor is kept for the gradient, in the backend's
// kept_type(): the rest is computed again. Throws ShapeError.
Variable feed_forward(const Variable& x, const AffineMap& inner, const AffineMap& outer, Activation activation,
                      const Dropout& dropout = {});

}  // namespace attend
