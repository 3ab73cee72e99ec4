#include <cassert>

#include "attend/backend/fast/fast_backend.h"
#include "attend/backend/fast/runs.h"
#include "attend/core/parallel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/backend/fast/top_k.cpp"
#include "attend/backend/fast/targets.h"
// must come between the two
#include "hwy/foreach_target.h"

#include "attend/backend/fast/exp-inl.h"
#include "attend/backend/fast/row_reduction-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

// The best elements so far, largest first. Elements arrive in the order of their indices, so one that equals a listed one goes behind it.
struct Best {
  float* values;
  std::int32_t* indices;
  std::size_t capacity;
  std::size_t size = 0;

  // NaN counts as less than any number.
  static bool less(float a, float b) { return a < b || (a != a && b == b); }
  float threshold() const { return values[size - 1]; }
  bool takes_numbers_only_above_threshold() const { return size == capacity && threshold() == threshold(); }

  void offer(float value, std::size_t index) {
    if (size == capacity) {
      if (!less(threshold(), value)) return;
    } else {
      ++size;
    }
    std::size_t at = size - 1;
    for (; at > 0 && less(values[at - 1], value); --at) {
      values[at] = values[at - 1];
      indices[at] = indices[at - 1];
    }
    values[at] = value;
    indices[at] = static_cast<std::int32_t>(index);
  }
};

HWY_INLINE void offer_hits(Floats d, hn::Mask<Floats> hits, const float* x, std::size_t i, Best& best) {
  std::uint8_t bytes[HWY_MAX(8, hn::MaxLanes(Floats()) / 8)] = {};
  hn::StoreMaskBits(d, hits, bytes);
  for (std::size_t byte = 0; byte * 8 < hn::Lanes(d); ++byte) {
    for (unsigned bits = bytes[byte]; bits != 0; bits &= bits - 1) {
      const std::size_t index = i + byte * 8 + static_cast<std::size_t>(__builtin_ctz(bits));
      best.offer(x[index], index);
    }
  }
}

// Once k numbers are known, nearly every vector is done with one comparison against the worst of them.
void top_k_row(const float* x, std::size_t count, std::size_t k, float* values, std::int32_t* indices) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  Best best{values, indices, k};
  std::size_t i = 0;
  while (i < count && !best.takes_numbers_only_above_threshold()) {
    best.offer(x[i], i);
    ++i;
  }
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    const auto threshold = hn::Set(d, best.threshold());
    const auto a = hn::Gt(hn::LoadU(d, x + i), threshold);
    const auto b = hn::Gt(hn::LoadU(d, x + i + lanes), threshold);
    const auto c = hn::Gt(hn::LoadU(d, x + i + 2 * lanes), threshold);
    const auto e = hn::Gt(hn::LoadU(d, x + i + 3 * lanes), threshold);
    if (HWY_LIKELY(hn::AllFalse(d, hn::Or(hn::Or(a, b), hn::Or(c, e))))) continue;
    offer_hits(d, a, x, i, best);
    offer_hits(d, b, x, i + lanes, best);
    offer_hits(d, c, x, i + 2 * lanes, best);
    offer_hits(d, e, x, i + 3 * lanes, best);
  }
  for (; i < count; ++i) best.offer(x[i], i);
}

// Of a row of logits: log probabilities are only computed of those chosen. What is wrong with any logit shows in the sum.
void log_softmax_top_k_row(const float* x, std::size_t count, std::size_t k, float* values, std::int32_t* indices) {
  top_k_row(x, count, k, values, indices);
  const float max = values[0];
  const auto shift = hn::Set(Floats(), max);
  const float sum = row_sum(x, count, [shift](auto v) HWY_ATTR { return exp_of(Floats(), hn::Sub(v, shift)); });
  const float normaliser = __builtin_logf(sum);
  for (std::size_t i = 0; i < k; ++i) values[i] = values[i] - max - normaliser;
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attend {

HWY_EXPORT(log_softmax_top_k_row);

void FastBackend::log_softmax_top_k(const Tensor& x, int k, const Tensor& values, const Tensor& indices) {
  assert(k >= 1 && k <= x.cols() && values.cols() == k && indices.cols() == k);
  parallel_for(x.rows(), row_grain(x.cols()), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      HWY_DYNAMIC_DISPATCH(log_softmax_top_k_row)
      (x.row(r), static_cast<std::size_t>(x.cols()), static_cast<std::size_t>(k), values.row(r), indices.row<std::int32_t>(r));
    }
  });
}

}  // namespace attend
#endif
