// Random tensors for the tests of ops and of what is built from them.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "attend/core/random/random.h"
#include "attend/ops/embedding.h"
#include "attend/tensor/tensor.h"

namespace attend {

inline Ids ids(std::vector<std::int32_t> values) { return {std::move(values)}; }

inline void fill_normal(const Tensor& x, Random& random, float deviation = 1.0f) {
  for (std::int64_t r = 0; r < x.rows(); ++r) {
    for (std::int64_t c = 0; c < x.cols(); ++c) x.row(r)[c] = deviation * random.normal();
  }
}

inline Tensor normal_tensor(const Shape& shape, Random& random, float deviation = 1.0f) {
  Tensor x = Tensor::empty(shape);
  fill_normal(x, random, deviation);
  return x;
}

// The middle columns of a wider matrix whose other columns are NaN.
inline Tensor strided_matrix(std::int64_t rows, std::int64_t cols) {
  return Tensor::full({rows, cols + 8}, std::numeric_limits<float>::quiet_NaN())
      .slice_columns(3, 3 + cols);
}

// Fills the blocks that the allocator keeps for reuse with NaN, so that an op that forgets to write
// its output shows.
inline void poison_free_memory() {
  std::vector<Tensor> blocks;
  for (std::int64_t size = 64; size <= 4096; size += size / 8) {
    for (int i = 0; i < 3; ++i)
      blocks.push_back(Tensor::full({size}, std::numeric_limits<float>::quiet_NaN()));
  }
}

// Nothing but bits: equal for equal NaNs, different for 0 and -0.
inline bool same_bits(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape() || a.dtype() != b.dtype()) return false;
  const Tensor left = a.clone(), right = b.clone();
  return std::memcmp(left.bytes(), right.bytes(),
                     static_cast<std::size_t>(a.size()) * size_of(a.dtype())) == 0;
}

inline double largest_difference(const Tensor& a, const Tensor& b) {
  double largest = a.shape() == b.shape() ? 0.0 : std::numeric_limits<double>::infinity();
  if (largest > 0.0) return largest;
  for (std::int64_t r = 0; r < a.rows(); ++r) {
    for (std::int64_t c = 0; c < a.cols(); ++c) {
      const double difference = std::abs(double{a.row(r)[c]} - b.row(r)[c]);
      if (!(difference <= largest)) largest = difference;  // a NaN stays
    }
  }
  return largest;
}

}  // namespace attend
