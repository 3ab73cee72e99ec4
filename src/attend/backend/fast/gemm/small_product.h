// Products of small matrices, for the attention kernels.
#pragma once

#include <cstddef>
#include <limits>

namespace attend {

// Rows of a matrix with a row stride, in floats.
struct StridedRows {
  float* data = nullptr;
  std::ptrdiff_t stride = 0;

  float* at(std::ptrdiff_t row, std::ptrdiff_t column) const {
    return data + row * stride + column;
  }
};

// The effect of a causal mask and of a window on a product. With query i and key j, pairs with
// j > i + diagonal are masked, and those with j < i + lower_diagonal.
enum class Triangle {
  none,
  scores,           // C (j, i): masked elements of C are not needed, most are not written
  queries_by_keys,  // A (i, j): masked elements of A are zeros
  keys_by_queries,  // A (j, i): masked elements of A are zeros
};

// C = A B, or C += A B; C [M, N], A [M, K], B [K, N]. A is read by element, so any layout works; B
// and C by rows.
//
// Every element of C is summed in the order of K, one multiply-add at a time, wherever it is in C
// (of pairs, one instruction at a time).
// A row's result does not depend on the rows computed with it, bit for bit.
struct SmallProduct {
  std::ptrdiff_t rows, columns, depth;  // M, N, K
  const float* a;                       // element (m, k) is a[m * a_row + k * a_depth]
  std::ptrdiff_t a_row, a_depth;
  const float* b;
  std::ptrdiff_t b_row;
  float* c;
  std::ptrdiff_t c_row;
  bool accumulate = false;  // C += A B
  // When accumulating: row m of C is first multiplied by keep[m]; null: by 1.
  const float* keep = nullptr;
  const float* factor = nullptr;  // finally row m is multiplied by factor[m]; null: by 1
  bool zeros_hide = false;        // zeros of A skip the elements of B, even NaN and infinity
  // A and B are pairs of bf16, of an even k and the next one (gemm_bf16-inl.h); K counts pairs.
  bool pairs = false;
  Triangle triangle = Triangle::none;
  std::ptrdiff_t diagonal = 0;
  std::ptrdiff_t lower_diagonal = std::numeric_limits<std::ptrdiff_t>::min() / 2;
};

}  // namespace attend
