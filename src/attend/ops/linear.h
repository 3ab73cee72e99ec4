#pragma once

#include "attend/autograd/variable.h"
#include "attend/backend/backend.h"

namespace attend {

// x -> x W^T + b.  weight [O, I], bias [O] or undefined.
struct AffineMap {
  Variable weight;
  Variable bias;
};

// activation(x W^T + b).  x [N, I], weight [O, I], bias [O] or undefined -> [N, O]. The products of
// the gradient have the same precision. Throws ShapeError.
Variable linear(const Variable& x, const Variable& weight, const Variable& bias = {},
                const LinearOptions& options = {});

// a b, or with transpose_b a b^T, in f32.  a [N, K], b [K, M] or [M, K] -> [N, M]. Throws
// ShapeError.
Variable matmul(const Variable& a, const Variable& b, bool transpose_b = false);

}  // namespace attend
