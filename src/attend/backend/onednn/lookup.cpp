// embed, scatter_add, gather_rows.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/backend/onednn/lookup.cpp"
#include "attend/backend/onednn/targets.h"
// must come between the two
#include "hwy/foreach_target.h"

#include "attend/backend/onednn/philox-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

// y = dropout(scale * entry + position); position may be null.
void embed_row(const float* entry, float scale, const float* position, const Dropout& dropout, std::uint32_t row, float* y,
               std::size_t columns) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  const auto vscale = hn::Set(d, scale);
  if (position != nullptr) {
    map_rows(entry, position, y, columns, [&](FloatVector e, FloatVector p) HWY_ATTR { return hn::MulAdd(vscale, e, p); });
  } else {
    map_row(entry, y, columns, [&](FloatVector e) HWY_ATTR { return hn::Mul(vscale, e); });
  }
  const std::uint32_t threshold = dropout.threshold();
  if (threshold == 0) return;
  const auto kept_scale = hn::Set(d, dropout.scale());
  for_dropout_spans(dropout, row, columns, [&](std::size_t column, std::size_t count, const std::uint16_t* bits) HWY_ATTR {
    float* part = y + column;
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) hn::StoreU(drop(hn::LoadU(d, part + i), bits + i, threshold, kept_scale), d, part + i);
    if (i < count) store_part(drop(load_part(d, part + i, count - i), bits + i, threshold, kept_scale), d, part + i, count - i);
  });
}

// y += scale * x
void add_scaled_row(const float* x, float scale, float* y, std::size_t columns) {
  const auto vscale = hn::Set(Floats(), scale);
  map_rows(x, y, y, columns, [&](FloatVector v, FloatVector w) HWY_ATTR { return hn::MulAdd(vscale, v, w); });
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <cstring>

#include "attend/backend/onednn/fast_backend.h"
#include "attend/backend/onednn/runs.h"

namespace attend {

HWY_EXPORT(embed_row);
HWY_EXPORT(add_scaled_row);

void FastBackend::embed(const Tensor& table, std::span<const std::int32_t> ids, float scale, const Tensor& positions,
                        std::span<const std::int32_t> position, const Dropout& dropout, const Tensor& y) {
  const auto kernel = HWY_DYNAMIC_DISPATCH(embed_row);
  const bool with_positions = positions.defined();
  parallel_for(y.rows(), row_grain(y.cols()), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t n = begin; n < end; ++n) {
      const float* place = with_positions ? positions.row(position[n]) : nullptr;
      kernel(table.row(ids[n]), scale, place, dropout, static_cast<std::uint32_t>(n), y.row(n), y.cols());
    }
  });
}

void FastBackend::scatter_add(const Tensor& dy, std::span<const std::int32_t> ids, float scale, const Tensor& dtable) {
  const auto kernel = HWY_DYNAMIC_DISPATCH(add_scaled_row);
  // Threads own columns, whole cache lines of them: nobody adds to the same element, and everybody goes in the order of n.
  constexpr std::int64_t kLine = 16;
  const std::int64_t columns = dy.cols();
  const std::int64_t lines = (columns + kLine - 1) / kLine;
  const std::int64_t grain = dy.size() < kGrain ? lines : 2;
  parallel_for(lines, grain, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t first = begin * kLine;
    const std::int64_t count = std::min(end * kLine, columns) - first;
    for (std::int64_t n = 0; n < dy.rows(); ++n) kernel(dy.row(n) + first, scale, dtable.row(ids[n]) + first, count);
  });
}

void FastBackend::gather_rows(const Tensor& x, std::span<const std::int32_t> rows, const Tensor& y) {
  const std::size_t bytes = static_cast<std::size_t>(y.cols()) * size_of(x.dtype());
  const std::size_t x_stride = static_cast<std::size_t>(x.row_stride()) * size_of(x.dtype());
  const std::size_t y_stride = static_cast<std::size_t>(y.row_stride()) * size_of(x.dtype());
  parallel_for(static_cast<std::int64_t>(rows.size()), row_grain(y.cols()), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      std::memcpy(y.bytes() + static_cast<std::size_t>(i) * y_stride, x.bytes() + static_cast<std::size_t>(rows[i]) * x_stride, bytes);
    }
  });
}

}  // namespace attend
#endif
