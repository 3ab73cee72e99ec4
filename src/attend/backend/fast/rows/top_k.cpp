#include <algorithm>
#include <cassert>
#include <cmath>
#include <optional>
#include <vector>

#include "attend/backend/cpu/packed_weights.h"
#include "attend/backend/fast/fast_backend.h"
#include "attend/backend/fast/int8/quantized.h"
#include "attend/backend/fast/rows/rows.h"
#include "attend/backend/fast/rows/runs.h"
#include "attend/core/threads/parallel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/backend/fast/rows/top_k.cpp"
#include "attend/backend/fast/targets.h"
// must come between the two
#include "hwy/foreach_target.h"

#include "attend/backend/fast/exp-inl.h"
#include "attend/backend/fast/rows/row_reduction-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

constexpr std::size_t kGroups = 4 * hn::MaxLanes(Floats());  // of the elements of a segment

// The largest elements so far, largest first. Elements arrive in index order, so an equal one goes
// after those listed. None is NaN.
struct Best {
  float* values;
  std::int32_t* indices;
  std::size_t capacity;
  std::size_t size;

  bool full() const { return size == capacity; }

  void offer(float value, std::size_t index) {
    if (full()) {
      if (!(value > values[size - 1])) return;
    } else {
      ++size;
    }
    std::size_t at = size - 1;
    for (; at > 0 && values[at - 1] < value; --at) {
      values[at] = values[at - 1];
      indices[at] = indices[at - 1];
    }
    values[at] = value;
    indices[at] = static_cast<std::int32_t>(index);
  }
};

HWY_INLINE void offer_hits(Floats d, hn::Mask<Floats> hits, const float* x, std::size_t index,
                           Best& best) {
  std::uint8_t bytes[HWY_MAX(8, hn::MaxLanes(Floats()) / 8)] = {};
  hn::StoreMaskBits(d, hits, bytes);
  for (std::size_t byte = 0; byte * 8 < hn::Lanes(d); ++byte) {
    for (unsigned bits = bytes[byte]; bits != 0; bits &= bits - 1) {
      const std::size_t i = byte * 8 + static_cast<std::size_t>(__builtin_ctz(bits));
      best.offer(x[i], index + i);
    }
  }
}

// The largest element of each group of a segment; group g holds every kGroups-th element. -> the
// largest of all.
HWY_INLINE float group_maxima(const float* x, std::size_t count, float* maxima) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  const auto lowest = hn::Set(d, -__builtin_inff());
  FloatVector largest[4] = {lowest, lowest, lowest, lowest};
  std::size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < 4; ++v)
      largest[v] = hn::Max(hn::LoadU(d, x + i + v * lanes), largest[v]);
  }
  for (std::size_t v = 0; i < count; ++v, i += lanes) {
    const std::size_t left = HWY_MIN(lanes, count - i);
    const auto in = hn::IfThenElse(hn::FirstN(d, left), load_up_to(x + i, left), lowest);
    largest[v] = hn::Max(in, largest[v]);
  }
#pragma GCC unroll 4
  for (std::size_t v = 0; v < 4; ++v) hn::Store(largest[v], d, maxima + v * lanes);
  return hn::GetLane(
      hn::MaxOfLanes(d, hn::Max(hn::Max(largest[0], largest[1]), hn::Max(largest[2], largest[3]))));
}

// The k-th largest of the group maxima: at least k elements of the segment reach it. -infinity with
// fewer groups.
HWY_INLINE float kth_largest(const float* maxima, std::size_t k) {
  if (k > kGroups) return -__builtin_inff();
  float values[kGroups];
  std::int32_t indices[kGroups];
  Best best{values, indices, k, 0};
  for (std::size_t group = 0; group < kGroups; ++group) {
    if (maxima[group] == maxima[group]) best.offer(maxima[group], group);
  }
  return best.full() ? values[k - 1] : -__builtin_inff();
}

// Offers the elements of a segment that may be among the best. Most vectors need one comparison:
// with the worst of the best if there are k already, otherwise with what k elements of this segment
// reach.
HWY_INLINE void offer_segment(const float* x, std::size_t first, std::size_t count, float reached,
                              Best& best) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    const auto threshold =
        hn::Set(d, best.full() ? HWY_MAX(reached, best.values[best.size - 1]) : reached);
    const auto a = hn::Ge(hn::LoadU(d, x + i), threshold);
    const auto b = hn::Ge(hn::LoadU(d, x + i + lanes), threshold);
    const auto c = hn::Ge(hn::LoadU(d, x + i + 2 * lanes), threshold);
    const auto e = hn::Ge(hn::LoadU(d, x + i + 3 * lanes), threshold);
    if (HWY_LIKELY(hn::AllFalse(d, hn::Or(hn::Or(a, b), hn::Or(c, e))))) continue;
    offer_hits(d, a, x + i, first + i, best);
    offer_hits(d, b, x + i + lanes, first + i + lanes, best);
    offer_hits(d, c, x + i + 2 * lanes, first + i + 2 * lanes, best);
    offer_hits(d, e, x + i + 3 * lanes, first + i + 3 * lanes, best);
  }
  for (; i < count; ++i) {
    if (x[i] >= reached) best.offer(x[i], first + i);
  }
}

// A NaN or infinite logit shows in the sum.
HWY_INLINE void choose_from_segment(const float* x, std::size_t first, std::size_t count,
                                    RowChoice& row) {
  HWY_ALIGN float maxima[kGroups];
  const float max = group_maxima(x, count, maxima);
  const bool none = max == -__builtin_inff();
  const float sum = sum_of_exponentials(x, count, none ? 0.0f : max);
  if (max > row.max) {
    row.sum = row.sum * __builtin_expf(row.max - max) + sum;
    row.max = max;
  } else {
    row.sum += none ? sum : sum * __builtin_expf(max - row.max);
  }
  Best best{row.values, row.indices, row.k, row.size};
  const float reached = best.full() ? best.values[best.size - 1] : kth_largest(maxima, row.k);
  if (!best.full() || max > reached) offer_segment(x, first, count, reached, best);
  row.size = best.size;
}

// The logits [first, first + count) of a row. `first` is a multiple of kLogitSegment and rows start
// at 0, so the order of all sums depends only on their length.
void choose_from(const float* x, std::size_t first, std::size_t count, RowChoice& row) {
  for (std::size_t i = 0; i < count; i += kLogitSegment)
    choose_from_segment(x + i, first + i, HWY_MIN(kLogitSegment, count - i), row);
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attend {

HWY_EXPORT(choose_from);

namespace {

std::vector<RowChoice> choices(int k, const Tensor& values, const Tensor& indices) {
  std::vector<RowChoice> rows(static_cast<std::size_t>(values.rows()));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    rows[r].values = values.row(static_cast<std::int64_t>(r));
    rows[r].indices = indices.row<std::int32_t>(static_cast<std::int64_t>(r));
    rows[r].k = static_cast<std::size_t>(k);
  }
  return rows;
}

// Columns of logits [rows.size(), n], starting at `first`.
void choose(const Tensor& logits, std::int64_t first, std::vector<RowChoice>& rows) {
  const auto kernel = HWY_DYNAMIC_DISPATCH(choose_from);
  parallel_for(logits.rows(), row_grain(logits.cols()), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r)
      kernel(logits.row(r), static_cast<std::size_t>(first),
             static_cast<std::size_t>(logits.cols()), rows[static_cast<std::size_t>(r)]);
  });
}

// Turns logits into log-probabilities. Fewer than k are found only if a logit is NaN; then all
// become NaN.
void normalize(const std::vector<RowChoice>& rows) {
  for (const RowChoice& row : rows) {
    std::fill(row.values + row.size, row.values + row.k, 0.0f);
    std::fill(row.indices + row.size, row.indices + row.k, 0);
    const float normalizer = std::log(row.sum);
    for (std::size_t i = 0; i < row.k; ++i) row.values[i] = row.values[i] - row.max - normalizer;
  }
}

}  // namespace

void FastBackend::log_softmax_top_k(const Tensor& x, int k, const Tensor& values,
                                    const Tensor& indices) {
  assert(k >= 1 && k <= x.cols() && values.cols() == k && indices.cols() == k);
  std::vector<RowChoice> rows = choices(k, values, indices);
  choose(x, 0, rows);
  normalize(rows);
}

// As many columns at a time as their logits stay in the L2 cache. A row's segments do not depend on
// it.
void FastBackend::projected_top_k(const Tensor& x, const OutputProjection& output, int k,
                                  const Tensor& values, const Tensor& indices) {
  const Tensor& weight = output.weight;
  assert(k >= 1 && k <= weight.rows() && values.cols() == k && indices.cols() == k);
  if (x.rows() == 0) return;
  constexpr std::int64_t kLogits = std::int64_t{96} << 10;
  constexpr auto kSegment = static_cast<std::int64_t>(kLogitSegment);
  // Row padding; otherwise all rows would begin in the same cache set.
  constexpr std::int64_t kGap = 16;
  const std::int64_t columns =
      std::min(weight.rows(), std::max<std::int64_t>(1, kLogits / x.rows() / kSegment) * kSegment);
  const Tensor logits = Tensor::empty({x.rows(), columns + kGap});
  std::vector<RowChoice> rows = choices(k, values, indices);
  std::optional<RoundedRows> rounded;
  if (is_quantized(weight)) rounded.emplace(x);
  for (std::int64_t begin = 0; begin < weight.rows(); begin += columns) {
    const std::int64_t end = std::min(begin + columns, weight.rows());
    const Tensor part = weight.slice_rows(begin, end), some = logits.slice_columns(0, end - begin);
    const Tensor bias = output.bias.defined() ? output.bias.slice_rows(begin, end) : Tensor();
    if (rounded) {
      quantized_linear(*rounded, part, bias, Activation::none, some);
    } else {
      linear(x, part, bias, {}, some);
    }
    choose(some, begin, rows);
  }
  normalize(rows);
}

}  // namespace attend
#endif
