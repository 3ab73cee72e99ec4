#include <cassert>

#include "attend/backend/reference/reference_backend.h"

namespace attend {

namespace {

// A matrix or its transpose: element (i, j) lies at i * row_step + j * column_step.
struct Operand {
  Operand(const Tensor& x, bool transpose)
      : data(x.data()), row_step(transpose ? 1 : x.row_stride()), column_step(transpose ? x.row_stride() : 1) {}
  float at(std::int64_t i, std::int64_t j) const { return data[i * row_step + j * column_step]; }

  const float* data;
  std::int64_t row_step;
  std::int64_t column_step;
};

}  // namespace

void ReferenceBackend::matmul(const Tensor& a, bool transpose_a, const Tensor& b, bool transpose_b, float beta, const Tensor& c) {
  const Operand left(a, transpose_a);
  const Operand right(b, transpose_b);
  const std::int64_t depth = transpose_a ? a.rows() : a.cols();
  for (std::int64_t i = 0; i < c.rows(); ++i) {
    for (std::int64_t j = 0; j < c.cols(); ++j) {
      double total = beta == 0.0f ? 0.0 : double{beta} * c.row(i)[j];
      for (std::int64_t k = 0; k < depth; ++k) total += double{left.at(i, k)} * right.at(k, j);
      c.row(i)[j] = static_cast<float>(total);
    }
  }
}

void ReferenceBackend::linear(const Tensor& x, const Tensor& weight, const Tensor& bias, Activation activation, const Tensor& y) {
  assert(x.cols() == weight.cols() && y.cols() == weight.rows());
  for (std::int64_t n = 0; n < y.rows(); ++n) {
    for (std::int64_t o = 0; o < y.cols(); ++o) {
      double total = bias.defined() ? bias.data()[o] : 0.0;
      for (std::int64_t i = 0; i < x.cols(); ++i) total += double{x.row(n)[i]} * weight.row(o)[i];
      y.row(n)[o] = reference::activated(activation, static_cast<float>(total));
    }
  }
}

}  // namespace attend
