#pragma once

#include "attend/autograd/variable.h"
#include "attend/backend/backend.h"
#include "attend/ops/linear.h"

namespace attend {

// The activation, dropout and GEMM precision between the two maps, forward and backward.
struct HiddenLayer {
  Activation activation = Activation::relu;
  Dropout dropout = {};
  Precision precision = Precision::f32;
};

// outer(dropout(activation(inner(x)))), the position-wise feed-forward network (Vaswani et al.
// 2017, equation 2). With a gate outer(dropout(activation(inner(x)) * gate(x))), with the product
// element by element: the gated linear units of Shazeer 2020, SwiGLU with swish, GeGLU with gelu.
//
// x [N, I], inner and gate I -> F, outer F -> O; -> [N, O]. Of the tensors of width F, by far the
// largest of a layer, only one is kept for the gradient, with a gate two; the others are
// recomputed. In bf16 they are kept in bf16, and so is x, because GEMMs round them anyway. Throws
// ShapeError.
Variable feed_forward(const Variable& x, const AffineMap& inner, const AffineMap& outer,
                      const HiddenLayer& hidden, const AffineMap& gate = {});

}  // namespace attend
