#include "backend/operands.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "attend/backend/cpu/grouped_weights.h"
#include "attend/backend/cpu/packed_weights.h"
#include "attend/tensor/bf16.h"

namespace attend {

namespace {

// An odd offset, so that no row of a strided tensor starts at a multiple of a vector, and room
// behind for vectors that overshoot.
constexpr std::int64_t kBefore = 3;
constexpr std::int64_t kBehind = 18;
constexpr std::uint32_t kGuard = 0x7fc0beef;  // a quiet NaN: reading a guard poisons the result

void fill_guard(const Tensor& x) {
  for (std::int64_t i = 0; i < x.size(); ++i) std::memcpy(x.data() + i, &kGuard, sizeof kGuard);
}

// The sum of four uniform numbers, scaled to variance 1: near enough to normal, within 3.5, and
// several times faster to draw.
float near_normal(Random& random) {
  const std::uint32_t a = random.next();
  const std::uint32_t b = random.next();
  const std::uint32_t sum = (a & 0xffffu) + (a >> 16) + (b & 0xffffu) + (b >> 16);
  constexpr float kDeviation = 37837.23f;  // 2^16 sqrt(4/12)
  return (static_cast<float>(sum) - 131070.0f) / kDeviation;
}

bool is_guard(const float& x) { return std::memcmp(&x, &kGuard, sizeof kGuard) == 0; }

}  // namespace

Tensor Operands::make(std::int64_t rows, std::int64_t cols) {
  if (rows_ == Rows::contiguous) return Tensor::empty({rows, cols});
  const Tensor wide = Tensor::empty({rows, kBefore + cols + kBehind});
  fill_guard(wide);
  guarded_.push_back(wide);
  return wide.slice_columns(kBefore, kBefore + cols);
}

Tensor Operands::normal(std::int64_t rows, std::int64_t cols, float deviation, float mean) {
  const Tensor x = make(rows, cols);
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < cols; ++c) x.row(r)[c] = mean + deviation * near_normal(random_);
  }
  return x;
}

Tensor Operands::with_outliers(std::int64_t rows, std::int64_t cols) {
  const Tensor x = normal(rows, cols);
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t i = 0; i < r % 5; ++i)  // every second one in the lane of another
      x.row(r)[(7 * r + 64 * (i / 2) + 37 * (i % 2)) % cols] *= static_cast<float>(30 * (i + 1));
  }
  return x;
}

Tensor Operands::normal_vector(std::int64_t size, float deviation, float mean) {
  const Tensor x = Tensor::empty({size});
  for (float& value : x.span()) value = mean + deviation * near_normal(random_);
  return x;
}

Tensor Operands::with_ties(std::int64_t rows, std::int64_t cols) {
  const Tensor x = normal(rows, cols);
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < cols; ++c) x.row(r)[c] = std::round(x.row(r)[c] * 2.0f) / 2.0f;
  }
  return x;
}

std::vector<std::int32_t> Operands::ids(std::int64_t count, std::int64_t below) {
  std::vector<std::int32_t> drawn(static_cast<std::size_t>(count));
  for (std::int32_t& id : drawn)
    id = static_cast<std::int32_t>(random_.below(static_cast<std::uint64_t>(below)));
  return drawn;
}

Tensor Operands::output(std::int64_t rows, std::int64_t cols) {
  const Tensor x = make(rows, cols);
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < cols; ++c) x.row(r)[c] = std::numeric_limits<float>::quiet_NaN();
  }
  return x;
}

Tensor Operands::output_vector(std::int64_t size) {
  return Tensor::full({size}, std::numeric_limits<float>::quiet_NaN());
}

bool Operands::guards_intact() const {
  for (const Tensor& wide : guarded_) {
    const std::int64_t end = wide.cols() - kBehind;
    for (std::int64_t r = 0; r < wide.rows(); ++r) {
      for (std::int64_t c = 0; c < wide.cols(); ++c) {
        if ((c < kBefore || c >= end) && !is_guard(wide.row(r)[c])) return false;
      }
    }
  }
  return true;
}

Tensor stored_weights(const Tensor& numbers, DType type, bool packed) {
  Tensor weights = numbers.clone();
  if (type == DType::i8) weights = quantize_weights(numbers);
  if (type == DType::i4) weights = group_weights(numbers);
  if (type == DType::bf16) {
    weights = Tensor::empty({numbers.rows(), numbers.cols()}, DType::bf16);
    for (std::int64_t row = 0; row < numbers.rows(); ++row)
      std::transform(numbers.row(row), numbers.row(row) + numbers.cols(),
                     weights.row<std::uint16_t>(row), nearest_bf16);
  }
  return packed ? pack_weights(weights) : weights;
}

std::int64_t weight_width(DType type, std::int64_t columns) {
  if (type != DType::i4) return columns;
  return (columns + kWeightGroup - 1) / kWeightGroup * kWeightGroup;
}

bool same_bits(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape() || a.dtype() != b.dtype()) return false;
  const Tensor left = a.clone();
  const Tensor right = b.clone();
  return std::memcmp(left.bytes(), right.bytes(),
                     static_cast<std::size_t>(a.size()) * size_of(a.dtype())) == 0;
}

Tensor as_f32(const Tensor& numbers) {
  const Tensor result = Tensor::empty(numbers.shape());
  for (std::int64_t i = 0; i < numbers.size(); ++i)
    result.data()[i] = static_cast<float>(numbers.data<std::int32_t>()[i]);
  return result;
}

}  // namespace attend
