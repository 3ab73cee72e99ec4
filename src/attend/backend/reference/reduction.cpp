#include <cassert>
#include <cmath>

#include "attend/backend/reference/reference_backend.h"

namespace attend {

namespace {

template <class Visit>
void visit_elements(const Tensor& x, const Visit& visit) {
  for (std::int64_t r = 0; r < x.rows(); ++r) {
    for (std::int64_t c = 0; c < x.cols(); ++c) visit(x.row(r)[c]);
  }
}

}  // namespace

void ReferenceBackend::sum_rows(const Tensor& x, float beta, const Tensor& y) {
  assert(x.cols() == y.size());
  for (std::int64_t c = 0; c < y.size(); ++c) {
    double total = beta == 0.0f ? 0.0 : double{beta} * y.data()[c];
    for (std::int64_t r = 0; r < x.rows(); ++r) total += x.row(r)[c];
    y.data()[c] = static_cast<float>(total);
  }
}

DeviceScalar ReferenceBackend::sum(const Tensor& x) {
  double total = 0.0;
  visit_elements(x, [&](float value) { total += value; });
  return device_scalar(total);
}

DeviceScalar ReferenceBackend::sum_of_squares(const Tensor& x) {
  double total = 0.0;
  visit_elements(x, [&](float value) { total += double{value} * value; });
  return device_scalar(total);
}

}  // namespace attend
