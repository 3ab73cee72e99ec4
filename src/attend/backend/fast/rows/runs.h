// Splitting element-wise work over threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "attend/core/threads/parallel.h"
#include "attend/tensor/tensor.h"

namespace attend {

// Floats that make a task worth handing to another thread.
constexpr std::int64_t kGrain = 16384;

// Rows that make a task worth handing to another thread.
inline std::int64_t row_grain(std::int64_t columns) {
  return std::max<std::int64_t>(1, kGrain / std::max<std::int64_t>(1, columns));
}

// Covers tensors of equal shape by runs of adjacent elements: body(row, column, count) for the
// elements that start at `column` of `row` in each of them. Contiguous tensors are one long row 0.
template <class Body>
void for_runs(std::initializer_list<const Tensor*> tensors, const Body& body) {
  const Tensor& first = **tensors.begin();
  if (std::all_of(tensors.begin(), tensors.end(),
                  [](const Tensor* tensor) { return tensor->contiguous(); })) {
    parallel_for(first.size(), kGrain, [&](std::int64_t begin, std::int64_t end) {
      body(std::int64_t{0}, begin, end - begin);
    });
    return;
  }
  const std::int64_t columns = first.cols();
  parallel_for(first.rows(), row_grain(columns), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) body(row, std::int64_t{0}, columns);
  });
}

}  // namespace attend
