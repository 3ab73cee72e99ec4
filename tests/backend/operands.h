// Tensors for one run of a kernel: the same numbers for every run with the same seed, either
// contiguous or as a range of columns of a wider matrix whose other columns are guarded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "attend/core/random/random.h"
#include "attend/tensor/tensor.h"

namespace attend {

enum class Rows { contiguous, strided };

class Operands {
 public:
  explicit Operands(Rows rows, std::uint64_t seed = 1)
      : rows_(rows), random_({seed, stream_of("operands")}) {}

  Tensor normal(std::int64_t rows, std::int64_t cols, float deviation = 1.0f, float mean = 0.0f);
  // The same, but some rows have a few elements that are much larger.
  Tensor with_outliers(std::int64_t rows, std::int64_t cols);
  Tensor normal_vector(std::int64_t size, float deviation = 1.0f,
                       float mean = 0.0f);  // [size], never strided
  // Normal numbers rounded to multiples of 1/2: many ties.
  Tensor with_ties(std::int64_t rows, std::int64_t cols);
  std::vector<std::int32_t> ids(std::int64_t count, std::int64_t below);

  // NaN until written, so that reading what was there before shows.
  Tensor output(std::int64_t rows, std::int64_t cols);
  Tensor output_vector(std::int64_t size);

  Random& random() { return random_; }

  // False when a kernel wrote between the rows of a strided tensor.
  bool guards_intact() const;

 private:
  Tensor make(std::int64_t rows, std::int64_t cols);

  Rows rows_;
  Random random_;
  std::vector<Tensor> guarded_;  // the wider matrices
};

// Weights [O, I] that are f32, bf16, i8 or i4 (backend/weights.h), and packed; a copy of the
// numbers.
Tensor stored_weights(const Tensor& numbers, DType type, bool packed);

// The least width from `columns` on that weights of a type can have.
std::int64_t weight_width(DType type, std::int64_t columns);

// Nothing but bits: equal for equal NaNs, different for 0 and -0.
bool same_bits(const Tensor& a, const Tensor& b);

// i32 numbers as floats, to be compared like them.
Tensor as_f32(const Tensor& numbers);

}  // namespace attend
