#include <fmt/format.h>

#include "attend/tensor/quantized.h"
#include "backend/kernel_case.h"

namespace attend {

namespace {

// Sums of K <= 512 products of standard normal numbers: partial sums reach about 3 sqrt(K) = 70, each of K additions rounds by at most
// 2^-24 of that, at random: sqrt(512) * 70 * 6e-8 = 1e-4 at the very worst. Several partial sums side by side do much better.
constexpr Tolerance kProduct{5e-5, 1e-6};

KernelCase matmul_case(bool transpose_a, bool transpose_b, float beta) {
  KernelCase kernel;
  kernel.name = fmt::format("matmul_{}{}_beta{}", transpose_a ? "t" : "n", transpose_b ? "t" : "n", static_cast<int>(beta * 10.0f));
  kernel.shapes = {{1, 1, 1}, {1, 7, 5}, {5, 1, 9}, {3, 4, 1}, {17, 33, 65}, {64, 64, 64}, {130, 70, 257}, {0, 5, 3}, {1, 512, 512}};
  if (transpose_a) kernel.shapes.push_back({33, 40, 500});              // a weight gradient: a long sum over tokens
  if (transpose_a && !transpose_b) kernel.shapes.push_back({4, 5, 0});  // of no tokens
  kernel.tolerance = kProduct;
  kernel.run = [=](Backend& backend, Operands& operands, const Shape& shape) -> std::vector<Tensor> {
    const std::int64_t m = shape[0];
    const std::int64_t n = shape[1];
    const std::int64_t k = shape[2];
    const Tensor a = transpose_a ? operands.normal(k, m) : operands.normal(m, k);
    const Tensor b = transpose_b ? operands.normal(n, k) : operands.normal(k, n);
    const Tensor c = beta == 0.0f ? operands.output(m, n) : operands.normal(m, n);
    backend.matmul(a, transpose_a, b, transpose_b, beta, c);
    return {c};
  };
  return kernel;
}

KernelCase linear_case(const char* name, Activation activation, bool has_bias) {
  KernelCase kernel;
  kernel.name = fmt::format("linear_{}{}", name, has_bias ? "_bias" : "");
  kernel.shapes = {{0, 8, 8},   {1, 1, 1},     {1, 64, 3},   {1, 512, 512}, {3, 5, 7},     {5, 16, 24},
                   {5, 128, 9}, {33, 31, 129}, {64, 64, 64}, {320, 24, 40}, {7, 512, 1031}};
  kernel.tolerance = kProduct;
  kernel.run = [=](Backend& backend, Operands& operands, const Shape& shape) -> std::vector<Tensor> {
    const Tensor x = operands.normal(shape[0], shape[1]);
    const Tensor weight = operands.normal(shape[2], shape[1]);
    const Tensor bias = has_bias ? operands.normal_vector(shape[2]) : Tensor();
    const Tensor y = operands.output(shape[0], shape[2]);
    backend.linear(x, weight, bias, activation, y);
    return {y};
  };
  return kernel;
}

// The integers are the same on both sides; what is left is the rounding of two scales, the bias and the activation.
KernelCase quantized_case(const char* name, Activation activation, bool has_bias) {
  KernelCase kernel = linear_case(name, activation, has_bias);
  kernel.name = fmt::format("quantized_{}{}", name, has_bias ? "_bias" : "");
  kernel.shapes.push_back({2, 5000, 6});
  kernel.tolerance = {2e-6, 1e-6};
  kernel.run = [=](Backend& backend, Operands& operands, const Shape& shape) -> std::vector<Tensor> {
    const Tensor x = operands.normal(shape[0], shape[1]);
    const Tensor weight = quantize_rows(operands.normal(shape[2], shape[1]));
    const Tensor bias = has_bias ? operands.normal_vector(shape[2]) : Tensor();
    const Tensor y = operands.output(shape[0], shape[2]);
    backend.linear(x, weight, bias, activation, y);
    return {y};
  };
  return kernel;
}

}  // namespace

std::vector<KernelCase> matmul_cases() {
  std::vector<KernelCase> cases;
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      for (const float beta : {0.0f, 1.0f, 0.5f}) cases.push_back(matmul_case(transpose_a, transpose_b, beta));
    }
  }
  for (const bool has_bias : {false, true}) {
    cases.push_back(quantized_case("plain", Activation::none, has_bias));
    cases.push_back(quantized_case("relu", Activation::relu, has_bias));
    cases.push_back(quantized_case("gelu", Activation::gelu, has_bias));
    cases.push_back(quantized_case("tanh", Activation::tanh, has_bias));
    cases.push_back(linear_case("plain", Activation::none, has_bias));
    cases.push_back(linear_case("relu", Activation::relu, has_bias));
    cases.push_back(linear_case("gelu", Activation::gelu, has_bias));
    cases.push_back(linear_case("tanh", Activation::tanh, has_bias));
  }
  return cases;
}

}  // namespace attend
