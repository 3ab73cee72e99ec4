// dropout: the mask is drawn again by the backward pass, so this is its own gradient.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/backend/onednn/dropout.cpp"
#include "attend/backend/onednn/targets.h"
// must come between the two
#include "hwy/foreach_target.h"

#include "attend/backend/onednn/philox-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

void dropout_row(const Dropout& dropout, std::uint32_t row, const float* x, float* y, std::size_t columns) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  const std::uint32_t threshold = dropout.threshold();
  const auto scale = hn::Set(d, dropout.scale());
  for_dropout_spans(dropout, row, columns, [&](std::size_t column, std::size_t count, const std::uint16_t* bits) HWY_ATTR {
    const float* from = x + column;
    float* to = y + column;
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) hn::StoreU(drop(hn::LoadU(d, from + i), bits + i, threshold, scale), d, to + i);
    if (i < count) store_part(drop(load_part(d, from + i, count - i), bits + i, threshold, scale), d, to + i, count - i);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "attend/backend/onednn/fast_backend.h"
#include "attend/backend/onednn/runs.h"

namespace attend {

HWY_EXPORT(dropout_row);

void FastBackend::dropout(const Dropout& dropout, const Tensor& x, const Tensor& y) {
  if (dropout.threshold() == 0) {
    if (x.bytes() != y.bytes()) axpby(1.0f, x, 0.0f, y);
    return;
  }
  const auto kernel = HWY_DYNAMIC_DISPATCH(dropout_row);
  parallel_for(x.rows(), row_grain(x.cols()), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) kernel(dropout, static_cast<std::uint32_t>(row), x.row(row), y.row(row), x.cols());
  });
}

}  // namespace attend
#endif
