#include <fmt/format.h>

#include "attend/backend/cpu/packed_weights.h"
#include "backend/kernel_case.h"

namespace attend {

namespace {

// Sums of K <= 512 products of standard normal numbers: partial sums reach about 3 sqrt(K) = 70,
// each of K additions rounds by at most 2^-24 of that, at random: sqrt(512) * 70 * 6e-8 = 1e-4 at
// the very worst. Several partial sums side by side do much better.
constexpr Tolerance kProduct{5e-5, 1e-6};

KernelCase matmul_case(bool transpose_a, bool transpose_b, float beta) {
  KernelCase kernel;
  kernel.name = fmt::format("matmul_{}{}_beta{}", transpose_a ? "t" : "n", transpose_b ? "t" : "n",
                            static_cast<int>(beta * 10.0f));
  kernel.shapes = {{1, 1, 1},    {1, 7, 5},      {5, 1, 9}, {3, 4, 1},    {17, 33, 65},
                   {64, 64, 64}, {130, 70, 257}, {0, 5, 3}, {1, 512, 512}};
  if (transpose_a)
    kernel.shapes.push_back({33, 40, 500});  // a weight gradient: a long sum over tokens
  if (transpose_a && !transpose_b) kernel.shapes.push_back({4, 5, 0});  // of no tokens
  kernel.tolerance = kProduct;
  kernel.run = [=](Backend& backend, Operands& operands,
                   const Shape& shape) -> std::vector<Tensor> {
    const std::int64_t m = shape[0];
    const std::int64_t n = shape[1];
    const std::int64_t k = shape[2];
    const Tensor a = transpose_a ? operands.normal(k, m) : operands.normal(m, k);
    const Tensor b = transpose_b ? operands.normal(n, k) : operands.normal(k, n);
    const Tensor c = beta == 0.0f ? operands.output(m, n) : operands.normal(m, n);
    backend.matmul(a, b, {transpose_a, transpose_b, beta}, c);
    return {c};
  };
  return kernel;
}

// How a matrix of weights is kept.
struct Weights {
  DType type;
  bool packed;

  Tensor of(const Tensor& rows) const { return stored_weights(rows, type, packed); }
  std::string name() const {
    const char* start = type == DType::i4     ? "grouped"
                        : type == DType::i8   ? "quantized"
                        : type == DType::bf16 ? "linear_of_bf16"
                                              : "linear";
    return fmt::format("{}{}", start, packed ? "_packed" : "");
  }
};

KernelCase linear_case(const char* name, Activation activation, bool has_bias, Weights how) {
  KernelCase kernel;
  kernel.name = fmt::format("{}_{}{}", how.name(), name, has_bias ? "_bias" : "");
  kernel.shapes = {{0, 8, 8},      {1, 1, 1},    {1, 64, 3},     {1, 512, 512}, {3, 5, 7},
                   {5, 16, 24},    {5, 128, 9},  {33, 31, 129},  {64, 64, 64},  {320, 24, 40},
                   {7, 512, 1031}, {5, 300, 40}, {101, 300, 56}, {3, 20, 2100}};
  kernel.tolerance = kProduct;
  if (how.type == DType::i8 || how.type == DType::i4) {
    // The integers are the same on both sides; what is left is the rounding of two scales, the bias
    // and the activation.
    kernel.shapes.push_back({2, 5000, 6});
    kernel.shapes.push_back({9, 5000, 38});
    kernel.tolerance = {2e-6, 1e-6};
  }
  kernel.run = [=](Backend& backend, Operands& operands,
                   const Shape& shape) -> std::vector<Tensor> {
    const std::int64_t depth = weight_width(how.type, shape[1]);
    const Tensor x = operands.normal(shape[0], depth);
    const Tensor weight = how.of(operands.normal(shape[2], depth));
    const Tensor bias = has_bias ? operands.normal_vector(shape[2]) : Tensor();
    const Tensor y = operands.output(shape[0], shape[2]);
    backend.linear(x, weight, bias, {activation}, y);
    return {y};
  };
  return kernel;
}

KernelCase outliers_case(Weights how) {
  KernelCase kernel;
  kernel.name = fmt::format("{}_outliers", how.name());
  kernel.shapes = {{3, 7, 20},    {9, 128, 16},  {1, 384, 33}, {13, 384, 56}, {14, 200, 100},
                   {5, 1536, 96}, {2, 384, 112}, {4, 128, 48}, {4, 5000, 6}};
  kernel.tolerance = {2e-6, 1e-6};  // as above
  kernel.run = [=](Backend& backend, Operands& operands,
                   const Shape& shape) -> std::vector<Tensor> {
    const std::int64_t depth = weight_width(how.type, shape[1]);
    const Tensor x = operands.with_outliers(shape[0], depth);
    const Tensor weight = how.of(operands.normal(shape[2], depth));
    const Tensor y = operands.output(shape[0], shape[2]);
    backend.linear(x, weight, {}, {}, y);
    return {y};
  };
  return kernel;
}

}  // namespace

std::vector<KernelCase> matmul_cases() {
  std::vector<KernelCase> cases;
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      for (const float beta : {0.0f, 1.0f, 0.5f})
        cases.push_back(matmul_case(transpose_a, transpose_b, beta));
    }
  }
  for (const bool has_bias : {false, true}) {
    for (const Weights how :
         {Weights{DType::f32, false}, Weights{DType::f32, true}, Weights{DType::bf16, false},
          Weights{DType::bf16, true}, Weights{DType::i8, false}, Weights{DType::i8, true},
          Weights{DType::i4, false}, Weights{DType::i4, true}}) {
      cases.push_back(linear_case("plain", Activation::none, has_bias, how));
      cases.push_back(linear_case("relu", Activation::relu, has_bias, how));
      cases.push_back(linear_case("gelu", Activation::gelu, has_bias, how));
      cases.push_back(linear_case("tanh", Activation::tanh, has_bias, how));
      cases.push_back(linear_case("swish", Activation::swish, has_bias, how));
    }
  }
  for (const Weights how : {Weights{DType::i8, false}, Weights{DType::i8, true},
                            Weights{DType::i4, false}, Weights{DType::i4, true}})
    cases.push_back(outliers_case(how));
  return cases;
}

}  // namespace attend
