// Every kernel of the backend as data: how to run it on random operands. The tests of
// kernel_comparison_test.cpp run each on both backends, contiguous and strided, with several
// numbers of threads.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "attend/backend/backend.h"
#include "backend/operands.h"

namespace attend {

// |fast - reference| <= absolute + relative * |reference|. The reference sums in double and rounds
// once; what remains is the rounding of the fast kernel, in units of 2^-24 = 6e-8.
struct Tolerance {
  double absolute = 0.0;
  double relative = 0.0;
};
inline constexpr Tolerance kLogProbability{4e-6, 1e-6};  // of a log_softmax

struct KernelCase {
  std::string name;
  std::vector<Shape> shapes;  // what the extents mean is up to `run`
  Tolerance tolerance;
  // Makes operands, calls the kernel, returns all that it wrote. i32 and double results come back
  // as f32.
  std::function<std::vector<Tensor>(Backend&, Operands&, const Shape&)> run;
};

std::vector<KernelCase> matmul_cases();
std::vector<KernelCase> bf16_cases();
std::vector<KernelCase> elementwise_cases();
std::vector<KernelCase> reduction_cases();
std::vector<KernelCase> normalization_cases();
std::vector<KernelCase> lookup_cases();
std::vector<KernelCase> columns_cases();
std::vector<KernelCase> pooling_cases();
std::vector<KernelCase> softmax_cases();
std::vector<KernelCase> attention_cases();
std::vector<KernelCase> attention_pair_cases();
std::vector<KernelCase> recurrence_cases();
std::vector<KernelCase> token_cases();

// No rows, one element, columns below, at and beyond multiples of 8 and 16, enough rows for several
// threads.
inline const std::vector<Shape> kMatrixShapes{{0, 8},    {1, 1},    {1, 7},     {1, 300}, {2, 8},
                                              {3, 15},   {5, 16},   {4, 17},    {7, 31},  {64, 33},
                                              {17, 128}, {301, 67}, {1030, 65}, {2, 5000}};

}  // namespace attend
