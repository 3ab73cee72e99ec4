#include <cassert>

#include "attend/backend/fast/fast_backend.h"
#include "attend/backend/fast/rows/runs.h"
#include "attend/core/threads/parallel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/backend/fast/rows/softmax.cpp"
#include "attend/backend/fast/targets.h"
// must come between the two
#include "hwy/foreach_target.h"

#include "attend/backend/fast/exp-inl.h"
#include "attend/backend/fast/rows/row_reduction-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

// y = exp(scale x - max) and their sum, over one row.
HWY_INLINE float store_exponentials(const float* x, float scale, float max, float* y,
                                    std::size_t count) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  const auto factor = hn::Set(d, scale);
  const auto shift = hn::Set(d, max);
  auto sum = hn::Zero(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto e = exp_of(d, hn::MulSub(factor, hn::LoadU(d, x + i), shift));
    sum = hn::Add(sum, e);
    hn::StoreU(e, d, y + i);
  }
  if (i < count) {
    const auto e = exp_of(d, hn::MulSub(factor, load_part(d, x + i, count - i), shift));
    sum = hn::Add(sum, hn::IfThenElseZero(hn::FirstN(d, count - i), e));
    store_part(e, d, y + i, count - i);
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

void softmax_row(const float* x, float scale, float* y, std::size_t count) {
  const float max = scale >= 0.0f ? scale * row_max(x, count) : scale * row_min(x, count);
  const float sum = store_exponentials(x, scale, max, y, count);
  const auto factor = hn::Set(Floats(), 1.0f / sum);
  map_row(y, y, count, [factor](auto e) HWY_ATTR { return hn::Mul(e, factor); });
}

void log_softmax_row(const float* x, float* y, std::size_t count) {
  const float max = row_max(x, count);
  const auto shift = hn::Set(Floats(), max);
  const auto normalizer = hn::Set(Floats(), __builtin_logf(sum_of_exponentials(x, count, max)));
  map_row(x, y, count,
          [shift, normalizer](auto v) HWY_ATTR { return hn::Sub(hn::Sub(v, shift), normalizer); });
}

// dx = scale * y * (dy - sum_c y dy)
void softmax_backward_row(const float* y, const float* dy, float scale, float* dx,
                          std::size_t count) {
  const auto mean = hn::Set(Floats(), row_dot(y, dy, count));
  const auto factor = hn::Set(Floats(), scale);
  map_rows(y, dy, dx, count, [mean, factor](auto p, auto dp) HWY_ATTR {
    return hn::Mul(hn::Mul(factor, p), hn::Sub(dp, mean));
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attend {

HWY_EXPORT(softmax_row);
HWY_EXPORT(log_softmax_row);
HWY_EXPORT(softmax_backward_row);

void FastBackend::softmax(const Tensor& x, float scale, const Tensor& y) {
  assert(x.size() == y.size());
  const auto width = static_cast<std::size_t>(x.cols());
  parallel_for(x.rows(), row_grain(x.cols()), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r)
      HWY_DYNAMIC_DISPATCH(softmax_row)(x.row(r), scale, y.row(r), width);
  });
}

void FastBackend::log_softmax(const Tensor& x, const Tensor& y) {
  assert(x.size() == y.size());
  const auto width = static_cast<std::size_t>(x.cols());
  parallel_for(x.rows(), row_grain(x.cols()), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r)
      HWY_DYNAMIC_DISPATCH(log_softmax_row)(x.row(r), y.row(r), width);
  });
}

void FastBackend::softmax_backward(const Tensor& y, const Tensor& dy, float scale,
                                   const Tensor& dx) {
  assert(y.size() == dy.size() && y.size() == dx.size());
  const auto width = static_cast<std::size_t>(y.cols());
  parallel_for(y.rows(), row_grain(y.cols()), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      HWY_DYNAMIC_DISPATCH(softmax_backward_row)(y.row(r), dy.row(r), scale, dx.row(r), width);
    }
  });
}

// dx = dy - exp(log_softmax(x)) sum_c dy
void FastBackend::log_softmax_backward(const Tensor& x, const Tensor& dy, const Tensor& dx) {
  assert(x.size() == dy.size() && x.size() == dx.size());
  softmax(x, 1.0f, dx);
  parallel_for(x.rows(), row_grain(x.cols()), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      const auto total = static_cast<float>(sum(dy.slice_rows(r, r + 1)));
      const float* from = dy.row(r);
      float* to = dx.row(r);
      for (std::int64_t c = 0; c < x.cols(); ++c) to[c] = from[c] - to[c] * total;
    }
  });
}

}  // namespace attend
#endif
