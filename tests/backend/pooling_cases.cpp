#include <algorithm>
#include <cmath>

#include "backend/kernel_case.h"

namespace attend {

namespace {

using Results = std::vector<Tensor>;

// [N, D]
const std::vector<Shape> kShapes{{0, 8},  {1, 1},   {1, 7},    {2, 8},     {5, 16},
                                 {7, 31}, {64, 33}, {301, 67}, {1030, 65}, {900, 300}};

// Sequences of 1, 4, 7, ... rows.
std::vector<std::int32_t> offsets_of(std::int64_t rows) {
  std::vector<std::int32_t> offsets{0};
  for (std::int32_t length = 1; offsets.back() < rows; length += 3)
    offsets.push_back(std::min(offsets.back() + length, static_cast<std::int32_t>(rows)));
  return offsets;
}

KernelCase pooling_case(const char* name, Pooling pooling, Tolerance tolerance,
                        bool with_nans = false) {
  return {name, kShapes, tolerance, [=](Backend& b, Operands& o, const Shape& shape) -> Results {
            const std::vector<std::int32_t> offsets = offsets_of(shape[0]);
            const auto sequences = static_cast<std::int64_t>(offsets.size()) - 1;
            const Tensor x = pooling == Pooling::max ? o.with_ties(shape[0], shape[1])
                                                     : o.normal(shape[0], shape[1]);
            for (std::int64_t n = 0; with_nans && n < shape[0]; n += 3)
              x.row(n)[n % shape[1]] = NAN;
            const Tensor y = o.output(sequences, shape[1]);
            const Tensor rows = Tensor::zeros({sequences, shape[1]}, DType::i32);
            b.pool(pooling, x, offsets, y, rows);
            const Tensor again = o.output(sequences, shape[1]);
            b.pool(pooling, x, offsets, again, {});
            const Tensor dy = o.normal(sequences, shape[1]), dx = o.output(shape[0], shape[1]);
            b.pool_backward(pooling, dy, offsets, rows, dx);
            return {y, again, as_f32(rows), dx};
          }};
}

}  // namespace

std::vector<KernelCase> pooling_cases() {
  return {
      pooling_case("pool_max", Pooling::max, {0.0, 0.0}),
      pooling_case("pool_max_of_nans", Pooling::max, {0.0, 0.0}, /*with_nans=*/true),
      pooling_case("pool_first", Pooling::first, {0.0, 0.0}),
      // Up to 80 terms of size 1 added in f32, then divided.
      pooling_case("pool_mean", Pooling::mean, {1e-6, 2e-6}),
      pooling_case("pool_mean_sqrt", Pooling::mean_sqrt, {1e-6, 1e-5}),
      pooling_case("pool_weighted_mean", Pooling::weighted_mean, {1e-6, 2e-6}),
      pooling_case("pool_last", Pooling::last, {0.0, 0.0}),
  };
}

}  // namespace attend
