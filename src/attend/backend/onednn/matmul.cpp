#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/backend/onednn/matmul.cpp"
#include "attend/backend/onednn/targets.h"
// must come between the two
#include "hwy/foreach_target.h"

#include "attend/backend/backend.h"
#include "attend/backend/onednn/activation-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

void bias_activation_row(const float* bias, Activation activation, float* y, std::size_t columns) {
  const auto plus = [&](auto function) HWY_ATTR {
    if (bias == nullptr) return map_row(y, y, columns, [&](FloatVector v) HWY_ATTR { return function(v); });
    map_rows(y, bias, y, columns, [&](FloatVector v, FloatVector b) HWY_ATTR { return function(hn::Add(v, b)); });
  };
  switch (activation) {
    case Activation::none:
      return plus([](FloatVector v) HWY_ATTR { return v; });
    case Activation::relu:
      return plus([](FloatVector v) HWY_ATTR { return relu(v); });
    case Activation::gelu:
      return plus([](FloatVector v) HWY_ATTR { return gelu(v); });
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <oneapi/dnnl/dnnl.h>

#include "attend/backend/onednn/fast_backend.h"
#include "attend/backend/onednn/runs.h"

namespace attend {

HWY_EXPORT(bias_activation_row);

void FastBackend::matmul(const Tensor& a, bool transpose_a, const Tensor& b, bool transpose_b, float beta, const Tensor& c) {
  const std::int64_t depth = transpose_a ? a.rows() : a.cols();
  if (c.size() == 0) return;
  if (depth == 0) return beta == 0.0f ? fill(c, 0.0f) : axpby(beta, c, 0.0f, c);
  dnnl_sgemm(transpose_a ? 'T' : 'N', transpose_b ? 'T' : 'N', c.rows(), c.cols(), depth, 1.0f, a.data(), a.row_stride(), b.data(),
             b.row_stride(), beta, c.data(), c.row_stride());
}

void FastBackend::linear(const Tensor& x, const Tensor& weight, const Tensor& bias, Activation activation, const Tensor& y) {
  matmul(x, false, weight, true, 0.0f, y);
  if (!bias.defined() && activation == Activation::none) return;
  const auto kernel = HWY_DYNAMIC_DISPATCH(bias_activation_row);
  const float* shift = bias.defined() ? bias.data() : nullptr;
  parallel_for(y.rows(), row_grain(y.cols()), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) kernel(shift, activation, y.row(row), y.cols());
  });
}

}  // namespace attend
#endif
