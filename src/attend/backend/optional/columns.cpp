// No backend has its own of the first four, which are bound by memory.
#include <algorithm>
#include <cassert>

#include "attend/backend/ids_span.h"
#include "attend/backend/optional_kernels.h"
#include "attend/core/threads/parallel.h"

namespace attend {

namespace {

constexpr std::int64_t kElementsAtOnce = 16384;  // for a thread at least

// Calls use(row, i, column) for the named columns, including -1.
template <class Use>
void for_columns(const Tensor& x, std::span<const std::int32_t> columns, const Use& use) {
  if (x.rows() == 0) return;
  const std::int64_t width = std::ssize(columns) / x.rows();
  assert(width * x.rows() == std::ssize(columns));
  const std::int64_t grain = kElementsAtOnce / std::max<std::int64_t>(width, 1) + 1;
  parallel_for(x.rows(), grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      for (std::int64_t i = 0; i < width; ++i)
        use(r, i, columns[static_cast<std::size_t>(r * width + i)]);
    }
  });
}

}  // namespace

void OptionalKernels::gather_columns(const Tensor& x, const Ids& columns, float absent,
                                     const Tensor& y) {
  assert(x.rows() == y.rows() && y.size() == columns.size());
  for_columns(x, device_span(columns), [&](std::int64_t r, std::int64_t i, std::int32_t column) {
    y.row(r)[i] = column < 0 ? absent : x.row(r)[column];
  });
}

void OptionalKernels::fill_columns(const Tensor& x, const Ids& columns, float value) {
  for_columns(x, device_span(columns), [&](std::int64_t r, std::int64_t, std::int32_t column) {
    if (column >= 0) x.row(r)[column] = value;
  });
}

void OptionalKernels::add_to_columns(const Tensor& x, const Ids& columns, const Tensor& values) {
  assert(x.rows() == values.rows() && values.size() == columns.size());
  for_columns(x, device_span(columns), [&](std::int64_t r, std::int64_t i, std::int32_t column) {
    if (column >= 0) x.row(r)[column] += values.row(r)[i];
  });
}

void OptionalKernels::penalize_columns(const Tensor& x, const Ids& columns, float penalty) {
  for_columns(x, device_span(columns), [&](std::int64_t r, std::int64_t, std::int32_t column) {
    if (column < 0) return;
    float& value = x.row(r)[column];
    value = value > 0 ? value / penalty : value * penalty;
  });
}

void OptionalKernels::dot_rows(const Tensor& a, const Tensor& b, const Tensor& y) {
  assert(a.shape() == b.shape() && y.rows() == a.rows() && y.cols() == 1);
  for (std::int64_t n = 0; n < a.rows(); ++n) {
    double total = 0.0;
    for (std::int64_t d = 0; d < a.cols(); ++d) total += double{a.row(n)[d]} * b.row(n)[d];
    y.row(n)[0] = static_cast<float>(total);
  }
}

void OptionalKernels::scale_rows(const Tensor& factors, const Tensor& x, float beta,
                                 const Tensor& y) {
  assert(factors.rows() == x.rows() && factors.cols() == 1 && x.shape() == y.shape());
  for (std::int64_t n = 0; n < x.rows(); ++n) {
    for (std::int64_t d = 0; d < x.cols(); ++d) {
      const double before = beta == 0.0f ? 0.0 : double{beta} * y.row(n)[d];
      y.row(n)[d] = static_cast<float>(before + double{factors.row(n)[0]} * x.row(n)[d]);
    }
  }
}

}  // namespace attend
