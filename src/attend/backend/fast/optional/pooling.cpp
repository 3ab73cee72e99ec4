// pool, pool_backward: threads own whole sequences and sum each in row order.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/backend/fast/optional/pooling.cpp"
#include "attend/backend/fast/targets.h"
// must come between the two
#include "hwy/foreach_target.h"

#include "attend/backend/fast/rows/row_reduction-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

using Indices = hn::RebindToSigned<Floats>;

HWY_INLINE void store_indices_up_to(hn::Vec<Indices> value, std::int32_t* to, std::size_t left) {
  const Indices d;
  const std::size_t lanes = hn::Lanes(d);
  if (HWY_LIKELY(left >= lanes)) {
    hn::StoreU(value, d, to);
  } else {
    HWY_ALIGN std::int32_t buffer[hn::MaxLanes(d)];
    hn::Store(value, d, buffer);
    for (std::size_t i = 0; i < left; ++i) to[i] = buffer[i];
  }
}

// y[c] = max over `count` rows of x[., c]; where[c], unless null, is the first row of first_row,
// first_row + 1, ... that attains it.
void max_over_rows(const float* x, std::size_t stride, std::size_t count, std::size_t columns,
                   std::int32_t first_row, float* y, std::int32_t* where) {
  const Floats d;
  const Indices di;
  for (std::size_t c = 0; c < columns; c += hn::Lanes(d)) {
    const std::size_t left = columns - c;
    auto largest = load_up_to(x + c, left);
    auto row = hn::Set(di, first_row);
    for (std::size_t n = 1; n < count; ++n) {
      const auto v = load_up_to(x + n * stride + c, left);
      const auto nan_first = hn::AndNot(hn::IsNaN(largest), hn::IsNaN(v));
      const auto larger = hn::Or(hn::Gt(v, largest), nan_first);
      largest = hn::IfThenElse(larger, v, largest);
      row = hn::IfThenElse(hn::RebindMask(di, larger),
                           hn::Set(di, first_row + static_cast<std::int32_t>(n)), row);
    }
    store_up_to(largest, y + c, left);
    if (where != nullptr) store_indices_up_to(row, where + c, left);
  }
}

// y[c] = share * sum over `count` rows of x[., c]
void sum_over_rows(const float* x, std::size_t stride, std::size_t count, std::size_t columns,
                   float factor, float* y) {
  const Floats d;
  const auto share = hn::Set(d, factor);
  for (std::size_t c = 0; c < columns; c += hn::Lanes(d)) {
    const std::size_t left = columns - c;
    auto sum = load_up_to(x + c, left);
    for (std::size_t n = 1; n < count; ++n)
      sum = hn::Add(sum, load_up_to(x + n * stride + c, left));
    store_up_to(hn::Mul(sum, share), y + c, left);
  }
}

// y[c] = share * sum over `count` rows n of (n + 1) * x[n, c]
void weighted_sum_over_rows(const float* x, std::size_t stride, std::size_t count,
                            std::size_t columns, float factor, float* y) {
  const Floats d;
  const auto share = hn::Set(d, factor);
  for (std::size_t c = 0; c < columns; c += hn::Lanes(d)) {
    const std::size_t left = columns - c;
    auto sum = load_up_to(x + c, left);
    for (std::size_t n = 1; n < count; ++n)
      sum = hn::MulAdd(hn::Set(d, static_cast<float>(n + 1)), load_up_to(x + n * stride + c, left),
                       sum);
    store_up_to(hn::Mul(sum, share), y + c, left);
  }
}

// y = factor * x
void scaled_row(const float* x, float factor, float* y, std::size_t columns) {
  const auto f = hn::Set(Floats(), factor);
  map_row(x, y, columns, [&](FloatVector v) HWY_ATTR { return hn::Mul(f, v); });
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>

#include "attend/backend/fast/fast_backend.h"
#include "attend/backend/fast/rows/runs.h"
#include "attend/backend/ids_span.h"

namespace attend {

HWY_EXPORT(max_over_rows);
HWY_EXPORT(sum_over_rows);
HWY_EXPORT(weighted_sum_over_rows);
HWY_EXPORT(scaled_row);

namespace {

// body(b, first row, rows) for every sequence.
template <class Body>
void for_sequences(std::span<const std::int32_t> offsets, std::int64_t columns, const Body& body) {
  const auto sequences = static_cast<std::int64_t>(offsets.size()) - 1;
  if (sequences < 1) return;
  // The average of a sequence decides.
  const std::int64_t elements = std::max<std::int64_t>(1, offsets.back() * columns / sequences);
  parallel_for(sequences, std::max<std::int64_t>(1, kGrain / elements),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t b = begin; b < end; ++b) {
                   const auto i = static_cast<std::size_t>(b);
                   body(b, std::int64_t{offsets[i]}, std::int64_t{offsets[i + 1] - offsets[i]});
                 }
               });
}

}  // namespace

void FastBackend::pool(Pooling pooling, const Tensor& x, const Ids& offsets, const Tensor& y,
                       const Tensor& rows) {
  const auto largest = HWY_DYNAMIC_DISPATCH(max_over_rows);
  const auto sum = HWY_DYNAMIC_DISPATCH(sum_over_rows);
  const auto weighted_sum = HWY_DYNAMIC_DISPATCH(weighted_sum_over_rows);
  const auto stride = static_cast<std::size_t>(x.row_stride()),
             columns = static_cast<std::size_t>(x.cols());
  for_sequences(device_span(offsets), x.cols(),
                [&](std::int64_t b, std::int64_t first, std::int64_t count) {
                  const float* begin = x.row(first);
                  const auto length = static_cast<std::size_t>(count);
                  const float share = pooling_share(pooling, 0, count);
                  switch (pooling) {
                    case Pooling::max:
                      largest(begin, stride, length, columns, static_cast<std::int32_t>(first),
                              y.row(b), rows.defined() ? rows.row<std::int32_t>(b) : nullptr);
                      break;
                    case Pooling::mean:
                    case Pooling::mean_sqrt:
                      sum(begin, stride, length, columns, share, y.row(b));
                      break;
                    case Pooling::weighted_mean:
                      weighted_sum(begin, stride, length, columns, share, y.row(b));
                      break;
                    case Pooling::first:
                      std::copy_n(begin, columns, y.row(b));
                      break;
                    case Pooling::last:
                      std::copy_n(x.row(first + count - 1), columns, y.row(b));
                      break;
                  }
                });
}

void FastBackend::pool_backward(Pooling pooling, const Tensor& dy, const Ids& offsets,
                                const Tensor& rows, const Tensor& dx) {
  const auto scaled = HWY_DYNAMIC_DISPATCH(scaled_row);
  const std::int64_t columns = dy.cols();
  for_sequences(device_span(offsets), columns,
                [&](std::int64_t b, std::int64_t first, std::int64_t count) {
                  const float* gradient = dy.row(b);
                  for (std::int64_t t = 0; t < count; ++t) {
                    const float share = pooling_share(pooling, t, count);
                    if (share != 0.0f) {
                      scaled(gradient, share, dx.row(first + t), static_cast<std::size_t>(columns));
                    } else {
                      std::fill_n(dx.row(first + t), columns, 0.0f);
                    }
                  }
                  if (pooling == Pooling::first) std::copy_n(gradient, columns, dx.row(first));
                  if (pooling == Pooling::last)
                    std::copy_n(gradient, columns, dx.row(first + count - 1));
                  if (pooling != Pooling::max) return;
                  const std::int32_t* where = rows.row<std::int32_t>(b);
                  for (std::int64_t c = 0; c < columns; ++c) dx.row(where[c])[c] = gradient[c];
                });
}

}  // namespace attend
#endif
