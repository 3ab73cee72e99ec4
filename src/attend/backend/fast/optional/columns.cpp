// Kernels that treat a row as one vector. Plain loops, because they are bound by memory. dot_rows()
// sums along the row, so it gives the same bits on every CPU.
#include <cassert>

#include "attend/backend/fast/fast_backend.h"
#include "attend/backend/fast/rows/runs.h"

namespace attend {

namespace {

float dot(const float* a, const float* b, std::int64_t width) {
  float sum = 0;
  for (std::int64_t d = 0; d < width; ++d) sum += a[d] * b[d];
  return sum;
}

}  // namespace

void FastBackend::dot_rows(const Tensor& a, const Tensor& b, const Tensor& y) {
  assert(a.shape() == b.shape() && y.rows() == a.rows() && y.cols() == 1);
  parallel_for(a.rows(), row_grain(a.cols()), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t n = begin; n < end; ++n) *y.row(n) = dot(a.row(n), b.row(n), a.cols());
  });
}

void FastBackend::scale_rows(const Tensor& factors, const Tensor& x, float beta, const Tensor& y) {
  assert(factors.rows() == x.rows() && factors.cols() == 1 && x.shape() == y.shape());
  parallel_for(x.rows(), row_grain(x.cols()), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t n = begin; n < end; ++n) {
      const float factor = *factors.row(n);
      const float* from = x.row(n);
      float* to = y.row(n);
      for (std::int64_t d = 0; d < x.cols(); ++d)
        to[d] = (beta == 0.0f ? 0.0f : beta * to[d]) + factor * from[d];
    }
  });
}

}  // namespace attend
