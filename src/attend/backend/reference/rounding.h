// Operands of products in the precision asked for.
#pragma once

#include "attend/backend/precision.h"
#include "attend/tensor/bf16.h"

namespace attend::reference {

// An operand as it enters a product.
inline double factor(double x, Precision precision) {
  if (precision == Precision::f32) return x;
  return float_of_bf16(nearest_bf16(static_cast<float>(x)));
}

}  // namespace attend::reference
