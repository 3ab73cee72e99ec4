// Products of factors rounded to bf16: the reference gets them rounded, the fast backend is the one
// that rounds.
#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "backend/kernel_case.h"

namespace attend {

namespace {

// As for f32 (matmul_cases.cpp), and twice that for instructions that round the sum after each of
// two products.
constexpr Tolerance kBf16Product{1e-4, 1e-6};

float nearest(float x) {
  if (!std::isfinite(x)) return x;
  const auto down = std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & 0xFFFF0000u);
  const auto up = std::bit_cast<float>((std::bit_cast<std::uint32_t>(x) & 0xFFFF0000u) + 0x10000u);
  const double to_down = std::abs(double{x} - down), to_up = std::abs(double{up} - x);
  if (to_down != to_up) return to_down < to_up ? down : up;
  return (std::bit_cast<std::uint32_t>(down) & 0x10000u) == 0 ? down : up;
}

Tensor rounded(const Tensor& x) {
  Tensor y = Tensor::empty(x.shape());
  for (std::int64_t r = 0; r < x.rows(); ++r) {
    for (std::int64_t c = 0; c < x.cols(); ++c) y.row(r)[c] = nearest(x.row(r)[c]);
  }
  return y;
}

// The factors that a backend is given, and the precision it is asked for.
struct Factor {
  explicit Factor(const Backend& backend)
      : exact(&backend == &reference_backend()),
        precision(exact ? Precision::f32 : Precision::bf16) {}
  Tensor of(const Tensor& x) const { return exact ? rounded(x) : x; }

  bool exact;
  Precision precision;
};

KernelCase bf16_matmul_case(bool transpose_a, bool transpose_b, float beta) {
  KernelCase kernel;
  kernel.name = fmt::format("matmul_bf16_{}{}_beta{}", transpose_a ? "t" : "n",
                            transpose_b ? "t" : "n", static_cast<int>(beta * 10.0f));
  kernel.shapes = {{1, 1, 1},    {1, 7, 5},      {5, 1, 9}, {3, 4, 1},    {17, 33, 65},
                   {64, 64, 64}, {130, 70, 257}, {0, 5, 3}, {1, 512, 512}};
  if (transpose_a) kernel.shapes.push_back({33, 40, 500});
  if (transpose_a && !transpose_b) kernel.shapes.push_back({4, 5, 0});
  kernel.tolerance = kBf16Product;
  kernel.run = [=](Backend& backend, Operands& operands,
                   const Shape& shape) -> std::vector<Tensor> {
    const std::int64_t m = shape[0], n = shape[1], k = shape[2];
    const Factor factor(backend);
    const Tensor a = factor.of(transpose_a ? operands.normal(k, m) : operands.normal(m, k));
    const Tensor b = factor.of(transpose_b ? operands.normal(n, k) : operands.normal(k, n));
    const Tensor c = beta == 0.0f ? operands.output(m, n) : operands.normal(m, n);
    backend.matmul(a, b, {transpose_a, transpose_b, beta, factor.precision}, c);
    return {c};
  };
  return kernel;
}

KernelCase linear_case(const char* name, Activation activation) {
  KernelCase kernel;
  kernel.name = fmt::format("linear_bf16_{}", name);
  kernel.shapes = {{0, 8, 8},     {1, 1, 1},      {3, 5, 7},      {33, 31, 129},
                   {320, 24, 40}, {7, 512, 1031}, {101, 300, 56}, {3, 20, 2100}};
  kernel.tolerance = kBf16Product;
  kernel.run = [=](Backend& backend, Operands& operands,
                   const Shape& shape) -> std::vector<Tensor> {
    const Factor factor(backend);
    const Tensor x = factor.of(operands.normal(shape[0], shape[1]));
    const Tensor weight = factor.of(operands.normal(shape[2], shape[1]));
    const Tensor bias = operands.normal_vector(shape[2]);  // added to the sum, as it is
    const Tensor y = operands.output(shape[0], shape[2]);
    backend.linear(x, weight, bias, {activation, factor.precision}, y);
    return {y};
  };
  return kernel;
}

}  // namespace

std::vector<KernelCase> bf16_cases() {
  std::vector<KernelCase> cases;
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      for (const float beta : {0.0f, 0.5f})
        cases.push_back(bf16_matmul_case(transpose_a, transpose_b, beta));
    }
  }
  cases.push_back(linear_case("plain", Activation::none));
  cases.push_back(linear_case("relu", Activation::relu));
  return cases;
}

}  // namespace attend
