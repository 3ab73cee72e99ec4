#include <algorithm>
#include <cassert>
#include <cmath>

#include "attend/backend/ids_span.h"
#include "attend/backend/optional_kernels.h"

namespace attend {

namespace {

bool exceeds(float value, float largest) {
  return value > largest || (std::isnan(value) && !std::isnan(largest));
}

// The first of the rows [begin, end) with the largest element in column c.
std::int32_t largest_row(const Tensor& x, std::int32_t begin, std::int32_t end, std::int64_t c) {
  std::int32_t best = begin;
  for (std::int32_t n = begin + 1; n < end; ++n) {
    if (exceeds(x.row(n)[c], x.row(best)[c])) best = n;
  }
  return best;
}

bool is_sum(Pooling pooling) {
  return pooling == Pooling::mean || pooling == Pooling::mean_sqrt ||
         pooling == Pooling::weighted_mean;
}

float weighted_sum(Pooling pooling, const Tensor& x, std::int32_t begin, std::int32_t end,
                   std::int64_t c) {
  double sum = 0;
  for (std::int32_t n = begin; n < end; ++n)
    sum += double{pooling_share(pooling, n - begin, end - begin)} * x.row(n)[c];
  return static_cast<float>(sum);
}

// The row of the others whose element of column c is taken.
std::int32_t chosen_row(Pooling pooling, const Tensor& x, std::int32_t begin, std::int32_t end,
                        std::int64_t c) {
  if (pooling == Pooling::max) return largest_row(x, begin, end, c);
  return pooling == Pooling::last ? end - 1 : begin;
}

}  // namespace

void OptionalKernels::pool(Pooling pooling, const Tensor& x, const Ids& offsets, const Tensor& y,
                           const Tensor& rows) {
  assert(x.cols() == y.cols() && offsets.size() == y.rows() + 1);
  const auto offset = device_span(offsets);
  for (std::int64_t b = 0; b < y.rows(); ++b) {
    const std::int32_t begin = offset[static_cast<std::size_t>(b)],
                       end = offset[static_cast<std::size_t>(b) + 1];
    for (std::int64_t c = 0; c < y.cols(); ++c) {
      if (is_sum(pooling)) {
        y.row(b)[c] = weighted_sum(pooling, x, begin, end, c);
        continue;
      }
      const std::int32_t chosen = chosen_row(pooling, x, begin, end, c);
      y.row(b)[c] = x.row(chosen)[c];
      if (pooling == Pooling::max && rows.defined()) rows.row<std::int32_t>(b)[c] = chosen;
    }
  }
}

void OptionalKernels::pool_backward(Pooling pooling, const Tensor& dy, const Ids& offsets,
                                    const Tensor& rows, const Tensor& dx) {
  const auto offset = device_span(offsets);
  assert(dy.cols() == dx.cols() && static_cast<std::int64_t>(offsets.size()) == dy.rows() + 1);
  for (std::int64_t n = 0; n < dx.rows(); ++n) std::fill_n(dx.row(n), dx.cols(), 0.0f);
  for (std::int64_t b = 0; b < dy.rows(); ++b) {
    const std::int32_t begin = offset[static_cast<std::size_t>(b)],
                       end = offset[static_cast<std::size_t>(b) + 1];
    for (std::int64_t c = 0; c < dy.cols(); ++c) {
      const float gradient = dy.row(b)[c];
      if (pooling == Pooling::max) dx.row(rows.row<std::int32_t>(b)[c])[c] = gradient;
      if (pooling == Pooling::first) dx.row(begin)[c] = gradient;
      if (pooling == Pooling::last) dx.row(end - 1)[c] = gradient;
      if (is_sum(pooling)) {
        for (std::int32_t n = begin; n < end; ++n)
          dx.row(n)[c] = gradient * pooling_share(pooling, n - begin, end - begin);
      }
    }
  }
}

}  // namespace attend
