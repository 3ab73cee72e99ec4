#include <cassert>
#include <utility>

#include "attend/backend/fast/fast_backend.h"
#include "attend/backend/fast/rows/runs.h"
#include "attend/backend/ids_span.h"
#include "attend/core/threads/parallel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/backend/fast/optional/paired_cross_entropy.cpp"
#include "attend/backend/fast/targets.h"
// must come between the two
#include "hwy/foreach_target.h"

#include "attend/backend/fast/exp-inl.h"
#include "attend/backend/fast/rows/row_reduction-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

// Shared by both passes over a pair of rows. With m = max a and e = exp(a - m): z = sum e, pull =
// sum e (a - b).
struct PairedRow {
  float max = 0, z = 0, pull = 0;
};

HWY_INLINE void paired_sums(const float* a, const float* b, std::size_t count, PairedRow& of_a,
                            PairedRow& of_b) {
  const Floats d;
  const auto max_a = hn::Set(d, of_a.max), max_b = hn::Set(d, of_b.max);
  auto z_a = hn::Zero(d), z_b = hn::Zero(d), pull_a = hn::Zero(d), pull_b = hn::Zero(d);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const std::size_t left = count - i;
    const auto x = load_up_to(a + i, left), y = load_up_to(b + i, left);
    const auto there = hn::FirstN(d, left);
    const auto e_a = hn::IfThenElseZero(there, exp_of(d, hn::Sub(x, max_a)));
    const auto e_b = hn::IfThenElseZero(there, exp_of(d, hn::Sub(y, max_b)));
    z_a = hn::Add(z_a, e_a);
    z_b = hn::Add(z_b, e_b);
    const auto difference = hn::Sub(x, y);
    pull_a = hn::MulAdd(e_a, difference, pull_a);
    pull_b = hn::NegMulAdd(e_b, difference, pull_b);
  }
  const auto sum = [d](auto lanes) HWY_ATTR { return hn::GetLane(hn::SumOfLanes(d, lanes)); };
  of_a.z = sum(z_a), of_a.pull = sum(pull_a);
  of_b.z = sum(z_b), of_b.pull = sum(pull_b);
}

// With p = softmax(a), q = softmax(b), d = log p - log q, K = KL(p || q), w the weight of the
// divergence, share = s/V:
//   da[v] = g (p (1/2 + w/4 (1 + d - K)) - w/4 q - share/2 - (1-s)/2 [v = t]),
// and db with a and b exchanged.
void paired_cross_entropy_row(float* a, float* b, std::size_t count, std::size_t target,
                              const PairedLoss& o, float* loss, float* nll) {
  PairedRow of_a{row_max(a, count)}, of_b{row_max(b, count)};
  paired_sums(a, b, count, of_a, of_b);
  const float log_ratio = __builtin_logf(of_a.z) - __builtin_logf(of_b.z) + (of_a.max - of_b.max);
  const float towards_b = of_a.pull / of_a.z - log_ratio;  // KL(p || q)
  const float towards_a = of_b.pull / of_b.z + log_ratio;

  const float share = o.label_smoothing / static_cast<float>(count);
  const auto smoothed = [&](const float* x, const PairedRow& of) HWY_ATTR {
    const float log_z = __builtin_logf(of.z), hit = x[target] - of.max;
    const auto shift = hn::Set(Floats(), of.max);
    const float spread = share == 0.0f ? 0.0f : share * row_sum(x, count, [shift](auto v) HWY_ATTR {
                                                  return hn::Sub(v, shift);
                                                });
    return std::pair(log_z - (1.0f - o.label_smoothing) * hit - spread, log_z - hit);
  };
  const auto [loss_a, nll_a] = smoothed(a, of_a);
  const auto [loss_b, nll_b] = smoothed(b, of_b);
  *loss = 0.5f * (loss_a + loss_b) + 0.25f * o.divergence * (towards_b + towards_a);
  *nll = 0.5f * (nll_a + nll_b);
  if (o.gradient_scale == 0.0f) return;

  const Floats d;
  const float quarter = 0.25f * o.divergence, g = o.gradient_scale;
  const auto max_a = hn::Set(d, of_a.max), max_b = hn::Set(d, of_b.max);
  const auto inverse_a = hn::Set(d, g / of_a.z), inverse_b = hn::Set(d, g / of_b.z);
  const auto weight = hn::Set(d, quarter), offset = hn::Set(d, 0.5f * g * share);
  const auto base_a = hn::Set(d, 0.5f + quarter * (1.0f - towards_b - log_ratio));
  const auto base_b = hn::Set(d, 0.5f + quarter * (1.0f - towards_a + log_ratio));
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const std::size_t left = count - i;
    const auto x = load_up_to(a + i, left), y = load_up_to(b + i, left);
    const auto p = hn::Mul(exp_of(d, hn::Sub(x, max_a)), inverse_a);
    const auto q = hn::Mul(exp_of(d, hn::Sub(y, max_b)), inverse_b);
    const auto pull = hn::Mul(weight, hn::Sub(x, y));
    store_up_to(hn::NegMulAdd(weight, q, hn::MulSub(p, hn::Add(base_a, pull), offset)), a + i,
                left);
    store_up_to(hn::NegMulAdd(weight, p, hn::MulSub(q, hn::Sub(base_b, pull), offset)), b + i,
                left);
  }
  a[target] -= 0.5f * g * (1.0f - o.label_smoothing);
  b[target] -= 0.5f * g * (1.0f - o.label_smoothing);
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attend {

HWY_EXPORT(paired_cross_entropy_row);

void FastBackend::paired_cross_entropy(const Tensor& a, const Tensor& b, const Ids& targets,
                                       const PairedLoss& options, const Tensor& losses,
                                       const Tensor& nll) {
  assert(a.rows() == b.rows() && targets.size() == a.rows());
  const auto wanted = device_span(targets);
  const auto classes = static_cast<std::size_t>(a.cols());
  parallel_for(a.rows(), row_grain(a.cols()), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t n = begin; n < end; ++n) {
      const auto target = static_cast<std::size_t>(wanted[static_cast<std::size_t>(n)]);
      HWY_DYNAMIC_DISPATCH(paired_cross_entropy_row)
      (a.row(n), b.row(n), classes, target, options, losses.data() + n, nll.data() + n);
    }
  });
}

}  // namespace attend
#endif
