#pragma once

#include "attend/autograd/variable.h"
#include "attend/backend/backend.h"

namespace attend {

// Element-wise ops; two operands have equal shapes. All throw ShapeError.
Variable add(const Variable& a, const Variable& b);
Variable multiply(const Variable& a, const Variable& b);
Variable scale(const Variable& x, float factor);
Variable activate(const Variable& x, Activation activation);
// Zeroes elements with probability dropout.p and scales the rest by 1/(1-p); identity when p is 0
// (Srivastava et al. 2014). Throws ConfigError for a probability outside [0, 1).
Variable dropout(const Variable& x, const Dropout& dropout);

// y[n] = factors[n] x[n].  x [N, D], factors [N, 1] -> [N, D].
Variable scale_rows(const Variable& x, const Variable& factors);

// The sum of all elements -> [1].
Variable sum(const Variable& x);

}  // namespace attend
