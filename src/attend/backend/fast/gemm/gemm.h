// A GEMM whose elements do not depend on their surroundings.
//
// oneDNN's f32 GEMM is fast, but a row's result depends on the number of rows and threads:
// remainder rows take another path, and the depth is split differently for different shapes. A
// translation would then depend on its batch. Here, for all shapes, transposes and thread counts,
// and for every instruction set with FMA,
//
//   c[m, n] = activation(bias[n] + beta c[m, n] + sum over blocks of kSumBlock of
//                        (sum over k in the block, ascending, by FMA from zero))
//
// The price: no AMX, and no bf16 dot products on ARM. `make kernels` times it beside oneDNN.
#pragma once

#include <cstdint>

#include "attend/backend/backend.h"

namespace attend {

// c [M, N] = activation(op(a) op(b) + beta c + bias), summed over K. Strides are in floats.
struct Product {
  std::int64_t rows = 0;     // M
  std::int64_t columns = 0;  // N
  std::int64_t depth = 0;    // K
  const float* a = nullptr;
  std::int64_t a_stride = 0;
  bool transpose_a = false;  // a is [K, M] in memory
  const float* b = nullptr;
  std::int64_t b_stride = 0;
  bool transpose_b = false;        // b is [N, K] in memory
  std::int64_t panel_columns = 0;  // the first columns of a transposed b that are in panels
                                   // (cpu/packed_weights.h); then b_stride is K
  const std::uint16_t* bf16_panels = nullptr;  // all of a transposed b, in panels of bf16: instead
                                               // of b, whose values the product widens
  float* c = nullptr;
  std::int64_t c_stride = 0;
  float beta = 0.0f;
  const float* bias = nullptr;  // [N] or null
  Activation activation = Activation::none;
  Precision operand_precision = Precision::f32;  // bf16: b has no panels
};

// A rectangle of c: the work of one thread.
struct ProductPart {
  std::int64_t row_begin = 0, row_end = 0;
  std::int64_t column_begin = 0, column_end = 0;
};

void gemm(const Product& product);

}  // namespace attend
