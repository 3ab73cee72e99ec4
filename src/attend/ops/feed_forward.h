#pragma once

#include "attend/autograd/variable.h"
#include "attend/backend/backend.h"

namespace attend {

// x -> x W^T + b.  weight [O, I], bias [O] or undefined.
struct AffineMap {
  Variable weight;
  Variable bias;
};

// What stands between the two maps, and the precision of their products and of those of the
// gradient.
struct HiddenLayer {
  Activation activation = Activation::relu;
  Dropout dropout = {};
  Precision precision = Precision::f32;
};

// outer(dropout(activation(inner(x)))), the position-wise feed-forward network (Vaswani et al.
// 2017, equation 2).  x [N, I], inner I -> F, outer F -> O; -> [N, O]. Of what is F wide, by far
// the most of a layer, only one tensor is kept for the gradient, the rest is computed again. In
// bf16 it is kept in bf16, and so is x: products round them to it anyway. Throws ShapeError.
Variable feed_forward(const Variable& x, const AffineMap& inner, const AffineMap& outer,
                      const HiddenLayer& hidden);

}  // namespace attend
