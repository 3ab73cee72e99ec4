// embed, scatter_add, gather_rows, scatter_rows.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/backend/fast/rows/lookup.cpp"
#include "attend/backend/fast/targets.h"
// must come between the two
#include "hwy/foreach_target.h"

#include "attend/backend/fast/philox-inl.h"
#include "attend/backend/fast/rows/rows.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

void embed_rows(const Dropout& dropout, const EmbedRows& rows, std::size_t begin, std::size_t end) {
  const auto scale = hn::Set(Floats(), rows.scale);
  const Philox philox(dropout.key);
  const bool drops = dropout.threshold() != 0;
  for (std::size_t row = begin; row < end; ++row) {
    const float* entry = rows.table + static_cast<std::size_t>(rows.ids[row]) * rows.table_stride;
    float* y = rows.y + row * rows.y_stride;
    if (rows.positions != nullptr) {
      const float* place =
          rows.positions + static_cast<std::size_t>(rows.position[row]) * rows.positions_stride;
      map_rows(entry, place, y, rows.columns,
               [&](FloatVector e, FloatVector p) HWY_ATTR { return hn::MulAdd(scale, e, p); });
    } else {
      map_row(entry, y, rows.columns, [&](FloatVector e) HWY_ATTR { return hn::Mul(scale, e); });
    }
    if (drops) drop_row(philox, dropout, static_cast<std::uint32_t>(row), y, y, rows.columns);
  }
}

// y += scale * x
void add_scaled_row(const float* x, float scale, float* y, std::size_t columns) {
  const auto vscale = hn::Set(Floats(), scale);
  map_rows(x, y, y, columns,
           [&](FloatVector v, FloatVector w) HWY_ATTR { return hn::MulAdd(vscale, v, w); });
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <numeric>
#include <vector>

#include "attend/backend/cpu/packed_weights.h"
#include "attend/backend/fast/fast_backend.h"
#include "attend/backend/fast/rows/runs.h"
#include "attend/backend/ids_span.h"
#include "attend/error.h"

namespace attend {

HWY_EXPORT(embed_rows);
HWY_EXPORT(add_scaled_row);

void FastBackend::embed(const Tensor& table, const Ids& ids, float scale, const Tensor& positions,
                        const Ids& position, const Dropout& dropout, const Tensor& y) {
  if (is_quantized(table) || is_packed(table) || table.dtype() == DType::bf16) {
    std::vector<std::int32_t> in_order(ids->size());
    std::iota(in_order.begin(), in_order.end(), 0);
    return embed(float_weights(select_weights(table, ids)), in_order, scale, positions, position,
                 dropout, y);
  }
  const auto kernel = HWY_DYNAMIC_DISPATCH(embed_rows);
  EmbedRows rows;
  rows.columns = static_cast<std::size_t>(y.cols());
  rows.table = table.data();
  rows.table_stride = static_cast<std::size_t>(table.row_stride());
  rows.ids = device_span(ids).data();
  rows.scale = scale;
  if (positions.defined()) {
    rows.positions = positions.data();
    rows.positions_stride = static_cast<std::size_t>(positions.row_stride());
    rows.position = device_span(position).data();
  }
  rows.y = y.data();
  rows.y_stride = static_cast<std::size_t>(y.row_stride());
  parallel_for(y.rows(), row_grain(y.cols()),
               [&](std::int64_t begin, std::int64_t end) { kernel(dropout, rows, begin, end); });
}

void FastBackend::scatter_add(const Tensor& dy, const Ids& ids, float scale, const Tensor& dtable) {
  const auto kernel = HWY_DYNAMIC_DISPATCH(add_scaled_row);
  // Threads own columns, in whole cache lines: no two add to the same element, and all go in the
  // order of n.
  constexpr std::int64_t kLine = 16;
  const std::int64_t columns = dy.cols();
  const std::int32_t* id = device_span(ids).data();
  const std::int64_t lines = (columns + kLine - 1) / kLine;
  const std::int64_t grain = dy.size() < kGrain ? lines : 2;
  parallel_for(lines, grain, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t first = begin * kLine;
    const std::int64_t count = std::min(end * kLine, columns) - first;
    for (std::int64_t n = 0; n < dy.rows(); ++n)
      kernel(dy.row(n) + first, scale, dtable.row(id[n]) + first, count);
  });
}

void FastBackend::gather_rows(const Tensor& x, const Ids& rows, const Tensor& y) {
  if (x.dtype() != y.dtype())
    throw ShapeError(fmt::format("[gather_rows] expected rows of {}, got {}", name_of(y.dtype()),
                                 name_of(x.dtype())));
  const std::size_t bytes = static_cast<std::size_t>(y.cols()) * size_of(x.dtype());
  const std::size_t x_stride = static_cast<std::size_t>(x.row_stride()) * size_of(x.dtype());
  const std::size_t y_stride = static_cast<std::size_t>(y.row_stride()) * size_of(x.dtype());
  const std::int32_t* row = device_span(rows).data();
  parallel_for(rows.size(), row_grain(y.cols()), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      std::memcpy(y.bytes() + static_cast<std::size_t>(i) * y_stride,
                  x.bytes() + static_cast<std::size_t>(row[i]) * x_stride, bytes);
    }
  });
}

void FastBackend::scatter_rows(const Tensor& x, const Ids& slots, std::span<const Tensor> pages) {
  const SlotSpan slot_of(slots);
  assert(x.rows() == slot_of.size());
  const std::size_t bytes = static_cast<std::size_t>(x.cols()) * size_of(x.dtype());
  parallel_for(x.rows(), row_grain(x.cols()), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const CacheSlot slot = slot_of[static_cast<std::size_t>(i)];
      const Tensor& page = pages[static_cast<std::size_t>(slot.page)];
      assert(x.dtype() == page.dtype() && x.cols() == page.cols());
      std::memcpy(page.row_bytes(slot.row), x.row_bytes(i), bytes);
    }
  });
}

}  // namespace attend
#endif
