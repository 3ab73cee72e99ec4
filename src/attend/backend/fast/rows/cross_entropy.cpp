#include <cassert>

#include "attend/backend/fast/fast_backend.h"
#include "attend/backend/fast/rows/runs.h"
#include "attend/backend/ids_span.h"
#include "attend/core/threads/parallel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/backend/fast/rows/cross_entropy.cpp"
#include "attend/backend/fast/targets.h"
// must come between the two
#include "hwy/foreach_target.h"

#include "attend/backend/fast/exp-inl.h"
#include "attend/backend/fast/rows/row_reduction-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

// sum_i exp(x[i] - max); the terms replace x when kStore.
template <bool kStore>
HWY_INLINE float cross_entropy_exponentials(float* x, std::size_t count, float max) {
  const Floats d;
  const auto shift = hn::Set(d, max);
  const auto load = [x, shift](std::size_t i, std::size_t left) HWY_ATTR {
    const auto e = exp_of(Floats(), hn::Sub(load_up_to(x + i, left), shift));
    if (kStore) store_up_to(e, x + i, left);
    return e;
  };
  const auto combine = [](auto a, auto b) HWY_ATTR { return hn::Add(a, b); };
  return hn::GetLane(hn::SumOfLanes(d, fold_row(count, hn::Zero(d), load, combine)));
}

// One row. With m = max x, z = sum exp(x - m), share = s/V:
//   nll = log z - (x[t] - m),   loss = log z - (1-s) (x[t] - m) - share sum_v (x[v] - m),
//   gradient[v] = g (exp(x[v] - m) / z - share - (1-s) [v = t]).
void cross_entropy_row(float* x, std::size_t count, std::size_t target, float smoothing,
                       float gradient_scale, float* loss, float* nll) {
  const float max = row_max(x, count);
  const float share = smoothing / static_cast<float>(count);
  const float hit = x[target] - max;
  float spread = 0.0f;
  if (smoothing != 0.0f) {
    const auto shift = hn::Set(Floats(), max);
    spread = share * row_sum(x, count, [shift](auto v) HWY_ATTR { return hn::Sub(v, shift); });
  }
  const bool wants_gradient = gradient_scale != 0.0f;
  const float z = wants_gradient ? cross_entropy_exponentials<true>(x, count, max)
                                 : cross_entropy_exponentials<false>(x, count, max);
  const float log_z = __builtin_logf(z);
  *nll = log_z - hit;
  // Without smoothing, a class of probability zero (a logit of -infinity) costs nothing, so
  // `spread` is not computed.
  *loss = log_z - (smoothing == 1.0f ? 0.0f : (1.0f - smoothing) * hit) - spread;
  if (!wants_gradient) return;
  const auto factor = hn::Set(Floats(), gradient_scale / z);
  const auto offset = hn::Set(Floats(), gradient_scale * share);
  map_row(x, x, count, [factor, offset](auto e) HWY_ATTR { return hn::MulSub(e, factor, offset); });
  x[target] -= gradient_scale * (1.0f - smoothing);
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attend {

HWY_EXPORT(cross_entropy_row);

void FastBackend::cross_entropy(const Tensor& logits, const Ids& targets, float label_smoothing,
                                float gradient_scale, const Tensor& losses, const Tensor& nll) {
  assert(targets.size() == logits.rows());
  const auto wanted = device_span(targets);
  const auto classes = static_cast<std::size_t>(logits.cols());
  float* loss = losses.data();
  float* negative_log_likelihood = nll.data();
  parallel_for(logits.rows(), row_grain(logits.cols()), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t n = begin; n < end; ++n) {
      const auto target = static_cast<std::size_t>(wanted[static_cast<std::size_t>(n)]);
      assert(target < classes);
      HWY_DYNAMIC_DISPATCH(cross_entropy_row)
      (logits.row(n), classes, target, label_smoothing, gradient_scale, loss + n,
       negative_log_likelihood + n);
    }
  });
}

}  // namespace attend
#endif
