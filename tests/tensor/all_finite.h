// Whether a tensor holds neither infinity nor NaN.
#pragma once

#include <algorithm>
#include <cmath>

#include "attend/tensor/tensor.h"

namespace attend {

// x f32, its rows as far apart as they are.
inline bool all_finite(const Tensor& x) {
  for (std::int64_t r = 0; r < x.rows(); ++r) {
    if (!std::all_of(x.row(r), x.row(r) + x.cols(),
                     [](float number) { return std::isfinite(number); }))
      return false;
  }
  return true;
}

}  // namespace attend
