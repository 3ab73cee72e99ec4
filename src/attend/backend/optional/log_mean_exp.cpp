#include <algorithm>
#include <cmath>
#include <limits>

#include "attend/backend/optional_kernels.h"

namespace attend {

void OptionalKernels::log_mean_exp(std::span<const Tensor> members, const Tensor& y) {
  for (std::int64_t r = 0; r < y.rows(); ++r) {
    for (std::int64_t c = 0; c < y.cols(); ++c) {
      double largest = -std::numeric_limits<double>::infinity(), total = 0.0;
      for (const Tensor& x : members) largest = std::max(largest, double{x.row(r)[c]});
      for (const Tensor& x : members) {
        const double value = x.row(r)[c];
        total += value == largest ? 1.0 : std::exp(value - largest);  // infinity equals itself
      }
      y.row(r)[c] =
          static_cast<float>(largest + std::log(total / static_cast<double>(members.size())));
    }
  }
}

}  // namespace attend
