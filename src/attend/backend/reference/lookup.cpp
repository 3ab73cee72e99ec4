#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "attend/backend/cpu/packed_weights.h"
#include "attend/backend/ids_span.h"
#include "attend/backend/reference/reference_backend.h"

namespace attend {

void ReferenceBackend::embed(const Tensor& table, const Ids& ids, float scale,
                             const Tensor& positions, const Ids& position, const Dropout& dropout,
                             const Tensor& y) {
  if (is_quantized(table) || is_packed(table) || table.dtype() == DType::bf16)
    return embed(float_weights(table), ids, scale, positions, position, dropout, y);
  assert(y.cols() == table.cols());
  const auto id = device_span(ids), place = device_span(position);
  for (std::int64_t n = 0; n < y.rows(); ++n) {
    const auto token = static_cast<std::size_t>(n);
    for (std::int64_t c = 0; c < y.cols(); ++c) {
      float value = scale * table.row(id[token])[c];
      if (positions.defined()) value += positions.row(place[token])[c];
      y.row(n)[c] = value * reference::dropout_factor(dropout, n, c);
    }
  }
}

void ReferenceBackend::scatter_add(const Tensor& dy, const Ids& ids, float scale,
                                   const Tensor& dtable) {
  assert(dy.cols() == dtable.cols());
  const auto id = device_span(ids);
  for (std::int64_t n = 0; n < dy.rows(); ++n) {
    float* row = dtable.row(id[static_cast<std::size_t>(n)]);
    for (std::int64_t c = 0; c < dy.cols(); ++c) row[c] += scale * dy.row(n)[c];
  }
}

void ReferenceBackend::gather_rows(const Tensor& x, const Ids& rows, const Tensor& y) {
  assert(x.cols() == y.cols());
  const auto row = device_span(rows);
  for (std::int64_t i = 0; i < y.rows(); ++i)
    std::copy_n(x.row(row[static_cast<std::size_t>(i)]), y.cols(), y.row(i));
}

void ReferenceBackend::scatter_rows(const Tensor& x, const Ids& slots,
                                    std::span<const Tensor> pages) {
  const SlotSpan slot_of(slots);
  assert(x.rows() == slot_of.size());
  for (std::int64_t i = 0; i < x.rows(); ++i) {
    const CacheSlot slot = slot_of[static_cast<std::size_t>(i)];
    const Tensor& page = pages[static_cast<std::size_t>(slot.page)];
    assert(x.dtype() == page.dtype() && x.cols() == page.cols());
    std::copy_n(x.row_bytes(i), static_cast<std::size_t>(x.cols()) * size_of(x.dtype()),
                page.row_bytes(slot.row));
  }
}

void ReferenceBackend::log_softmax_top_k(const Tensor& x, int k, const Tensor& values,
                                         const Tensor& indices) {
  assert(k <= x.cols());
  const Tensor log_probabilities = Tensor::empty(x.shape());
  log_softmax(x, log_probabilities);
  std::vector<std::int32_t> order(static_cast<std::size_t>(x.cols()));
  for (std::int64_t r = 0; r < x.rows(); ++r) {
    const float* row = x.row(r);
    // NaN would break the ordering, so it ranks last.
    const auto key = [row](std::int32_t i) {
      return std::isnan(row[i]) ? -std::numeric_limits<float>::infinity() : row[i];
    };
    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(order.begin(), order.begin() + k, order.end(),
                      [&](std::int32_t a, std::int32_t b) {
                        return key(a) > key(b) || (key(a) == key(b) && a < b);
                      });
    for (int i = 0; i < k; ++i) {
      indices.row<std::int32_t>(r)[i] = order[static_cast<std::size_t>(i)];
      values.row(r)[i] = log_probabilities.row(r)[order[static_cast<std::size_t>(i)]];
    }
  }
}

}  // namespace attend
