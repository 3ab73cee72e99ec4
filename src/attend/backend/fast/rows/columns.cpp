// Kernels that read or write a few columns of each row, and those that treat a row as one vector.
// Plain loops, because they are bound by memory. dot_rows() sums along the row, so it gives the
// same bits on every CPU.
#include <cassert>

#include "attend/backend/fast/fast_backend.h"
#include "attend/backend/fast/rows/runs.h"
#include "attend/backend/ids_span.h"

namespace attend {

namespace {

// Calls use(row, first, last) with the columns of each row.
template <class Use>
void for_rows_of_columns(std::int64_t rows, std::span<const std::int32_t> columns, const Use& use) {
  if (rows == 0) return;
  const std::int64_t width = std::ssize(columns) / rows;
  assert(width * rows == std::ssize(columns));
  parallel_for(rows, row_grain(width), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r)
      use(r, columns.data() + r * width, columns.data() + (r + 1) * width);
  });
}

float dot(const float* a, const float* b, std::int64_t width) {
  float sum = 0;
  for (std::int64_t d = 0; d < width; ++d) sum += a[d] * b[d];
  return sum;
}

}  // namespace

void FastBackend::gather_columns(const Tensor& x, const Ids& columns, float absent,
                                 const Tensor& y) {
  assert(x.rows() == y.rows() && y.size() == columns.size());
  for_rows_of_columns(x.rows(), device_span(columns),
                      [&](std::int64_t r, const std::int32_t* column, const std::int32_t* last) {
                        const float* from = x.row(r);
                        for (float* to = y.row(r); column < last; ++column)
                          *to++ = *column < 0 ? absent : from[*column];
                      });
}

void FastBackend::fill_columns(const Tensor& x, const Ids& columns, float value) {
  for_rows_of_columns(x.rows(), device_span(columns),
                      [&](std::int64_t r, const std::int32_t* column, const std::int32_t* last) {
                        float* row = x.row(r);
                        for (; column < last; ++column)
                          if (*column >= 0) row[*column] = value;
                      });
}

void FastBackend::penalize_columns(const Tensor& x, const Ids& columns, float penalty) {
  for_rows_of_columns(x.rows(), device_span(columns),
                      [&](std::int64_t r, const std::int32_t* column, const std::int32_t* last) {
                        float* row = x.row(r);
                        for (; column < last; ++column)
                          if (*column >= 0)
                            row[*column] =
                                row[*column] > 0 ? row[*column] / penalty : row[*column] * penalty;
                      });
}

void FastBackend::dot_rows(const Tensor& a, const Tensor& b, const Tensor& y) {
  assert(a.shape() == b.shape() && y.rows() == a.rows() && y.cols() == 1);
  parallel_for(a.rows(), row_grain(a.cols()), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t n = begin; n < end; ++n) *y.row(n) = dot(a.row(n), b.row(n), a.cols());
  });
}

void FastBackend::scale_rows(const Tensor& factors, const Tensor& x, float beta, const Tensor& y) {
  assert(factors.rows() == x.rows() && factors.cols() == 1 && x.shape() == y.shape());
  parallel_for(x.rows(), row_grain(x.cols()), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t n = begin; n < end; ++n) {
      const float factor = *factors.row(n);
      const float* from = x.row(n);
      float* to = y.row(n);
      for (std::int64_t d = 0; d < x.cols(); ++d)
        to[d] = (beta == 0.0f ? 0.0f : beta * to[d]) + factor * from[d];
    }
  });
}

}  // namespace attend
