// Products of small matrices, for the attention kernels.
#pragma once

#include <cstddef>

namespace attend {

// Rows of a matrix that may have gaps between them; the stride is in floats.
struct StridedRows {
  float* data = nullptr;
  std::ptrdiff_t stride = 0;

  float* at(std::ptrdiff_t row, std::ptrdiff_t column) const {
    return data + row * stride + column;
  }
};

// What a causal mask makes of a product. With i a query and j a key, the pairs with j > i +
// diagonal do not count.
enum class Triangle {
  none,
  scores,           // C (j, i): those elements of C are not wanted, most of them are left alone
  queries_by_keys,  // A (i, j): those elements of A are zeros
  keys_by_queries,  // A (j, i): those elements of A are zeros
};

// C = A B, or an update of C by it; C [M, N], A [M, K], B [K, N]. A is read by elements, so any
// layout will do; B and C by rows.
//
// Every element of C is summed in the order of K, one multiply-add after the other, wherever it
// lies in C: a row of the product does not depend on which rows are computed beside it, bit for
// bit.
struct SmallProduct {
  std::ptrdiff_t rows, columns, depth;  // M, N, K
  const float* a;                       // element (m, k) is a[m * a_row + k * a_depth]
  std::ptrdiff_t a_row, a_depth;
  const float* b;
  std::ptrdiff_t b_row;
  float* c;
  std::ptrdiff_t c_row;
  bool accumulate = false;  // C += A B
  const float* keep =
      nullptr;  // when accumulating: what row m held is multiplied by keep[m] first; null: by 1
  const float* factor = nullptr;  // at last row m is multiplied by factor[m]; null: by 1
  bool zeros_hide = false;        // zeros of A hide what they meet in B, NaN and infinity too
  Triangle triangle = Triangle::none;
  std::ptrdiff_t diagonal = 0;
};

}  // namespace attend
