// matmul and linear: both use the GEMM (gemm.h), except with 8-bit weights.
#include <cassert>

#include "attend/backend/cpu/packed_weights.h"
#include "attend/backend/fast/fast_backend.h"
#include "attend/backend/fast/gemm/gemm.h"
#include "attend/backend/fast/int8/quantized.h"

namespace attend {

namespace {

// For at least one element and a depth of at least one.
Product matmul_product(const Tensor& a, const Tensor& b, const MatmulOptions& options,
                       const Tensor& c) {
  Product product;
  product.rows = c.rows();
  product.columns = c.cols();
  product.depth = options.transpose_a ? a.rows() : a.cols();
  product.a = a.data();
  product.a_stride = a.row_stride();
  product.transpose_a = options.transpose_a;
  product.b = b.data();
  product.b_stride = b.row_stride();
  product.transpose_b = options.transpose_b;
  product.c = c.data();
  product.c_stride = c.row_stride();
  product.beta = options.beta;
  product.operand_precision = options.precision;
  return product;
}

Product linear_product(const Tensor& x, const Tensor& weight, const Tensor& bias,
                       const LinearOptions& options, const Tensor& y) {
  Product product;
  product.rows = y.rows();
  product.columns = y.cols();
  product.depth = weight.cols();
  product.a = x.data();
  product.a_stride = x.row_stride();
  if (weight.dtype() == DType::packed_bf16) {
    product.bf16_panels = weight.as(DType::bf16).data<std::uint16_t>();
  } else {
    product.b = is_packed(weight) ? weight.as(DType::f32).data() : weight.data();
  }
  product.b_stride = weight.row_stride();
  product.transpose_b = true;
  product.panel_columns = packed_rows(weight);
  product.c = y.data();
  product.c_stride = y.row_stride();
  if (bias.defined()) product.bias = bias.data();
  product.activation = options.activation;
  if (weight.dtype() == DType::f32) product.operand_precision = options.precision;
  return product;
}

// With bf16 weights: panels are multiplied as they are, the few rows outside widened before.
void bf16_linear(const Tensor& x, const Tensor& weight, const Tensor& bias,
                 const LinearOptions& options, const Tensor& y) {
  const std::int64_t all = weight.rows(), in_panels = packed_rows(weight);
  const auto multiply = [&](const Tensor& rows, std::int64_t begin) {
    const std::int64_t end = begin + rows.rows();
    gemm(linear_product(x, rows, bias.defined() ? bias.slice_rows(begin, end) : bias, options,
                        y.slice_columns(begin, end)));
  };
  if (in_panels > 0) multiply(weight.slice_rows(0, in_panels), 0);
  if (in_panels < all)
    multiply(float_weights(weight.slice_rows(in_panels, all).as(DType::bf16)), in_panels);
}

}  // namespace

void FastBackend::matmul(const Tensor& a, const Tensor& b, const MatmulOptions& options,
                         const Tensor& c) {
  if (c.size() == 0) return;
  const float beta = options.beta;
  if ((options.transpose_a ? a.rows() : a.cols()) == 0)
    return beta == 0.0f ? c.zero() : axpby(beta, c, 0.0f, c);
  gemm(matmul_product(a, b, options, c));
}

void FastBackend::linear(const Tensor& x, const Tensor& weight, const Tensor& bias,
                         const LinearOptions& options, const Tensor& y) {
  assert(weight_columns(weight) > 0 && (!is_packed(weight) || weight.contiguous()));
  if (y.size() == 0) return;
  if (is_quantized(weight))
    return quantized_linear(RoundedRows(x), weight, bias, options.activation, y);
  if (plain_type(weight.dtype()) == DType::bf16) return bf16_linear(x, weight, bias, options, y);
  gemm(linear_product(x, weight, bias, options, y));
}

}  // namespace attend
