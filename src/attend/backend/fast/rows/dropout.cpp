// dropout. The backward pass draws the same mask, so dropout is its own gradient.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/backend/fast/rows/dropout.cpp"
#include "attend/backend/fast/targets.h"
// must come between the two
#include "hwy/foreach_target.h"

#include "attend/backend/fast/philox-inl.h"
#include "attend/backend/fast/rows/rows.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

void dropout_rows(const Dropout& dropout, const DropoutRows& rows, std::size_t begin,
                  std::size_t end) {
  const Philox philox(dropout.key);
  for (std::size_t row = begin; row < end; ++row) {
    drop_row(philox, dropout, static_cast<std::uint32_t>(row), rows.x + row * rows.x_stride,
             rows.y + row * rows.y_stride, rows.columns);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "attend/backend/fast/fast_backend.h"
#include "attend/backend/fast/rows/runs.h"

namespace attend {

HWY_EXPORT(dropout_rows);

void FastBackend::dropout(const Dropout& dropout, const Tensor& x, const Tensor& y) {
  if (dropout.threshold() == 0) {
    if (x.bytes() != y.bytes()) axpby(1.0f, x, 0.0f, y);
    return;
  }
  const auto kernel = HWY_DYNAMIC_DISPATCH(dropout_rows);
  DropoutRows rows;
  rows.columns = static_cast<std::size_t>(x.cols());
  rows.x = x.data();
  rows.x_stride = static_cast<std::size_t>(x.row_stride());
  rows.y = y.data();
  rows.y_stride = static_cast<std::size_t>(y.row_stride());
  parallel_for(x.rows(), row_grain(x.cols()),
               [&](std::int64_t begin, std::int64_t end) { kernel(dropout, rows, begin, end); });
}

}  // namespace attend
#endif
