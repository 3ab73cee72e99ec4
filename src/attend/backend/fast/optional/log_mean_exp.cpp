#include <cassert>
#include <vector>

#include "attend/backend/fast/fast_backend.h"
#include "attend/backend/fast/rows/runs.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/backend/fast/optional/log_mean_exp.cpp"
#include "attend/backend/fast/targets.h"
// must come between the two
#include "hwy/foreach_target.h"

#include "attend/backend/fast/exp-inl.h"
#include "attend/backend/fast/simd-inl.h"
#include "hwy/contrib/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

// largest + log((1/M) sum_m exp(x_m - largest)) of M vectors. The difference of a number and itself
// is 0, that of two infinities too.
template <class Load>
HWY_INLINE FloatVector log_mean_exp_of(Floats d, std::size_t members, const Load& load) {
  auto largest = load(0);
  for (std::size_t m = 1; m < members; ++m) largest = hn::Max(largest, load(m));
  auto sum = hn::Zero(d);
  for (std::size_t m = 0; m < members; ++m) {
    const auto x = load(m);
    const auto below = hn::IfThenZeroElse(hn::Eq(x, largest), hn::Sub(x, largest));
    sum = hn::Add(sum, exp_of(d, below));
  }
  const auto mean = hn::Div(sum, hn::Set(d, static_cast<float>(members)));
  // Log() does not keep NaN.
  return hn::IfThenElse(hn::IsNaN(sum), sum, hn::Add(largest, hn::Log(d, mean)));
}

// One row of each member.
void log_mean_exp_row(const float* const* members, std::size_t count, float* y,
                      std::size_t columns) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= columns; i += lanes) {
    const auto load = [=](std::size_t m) HWY_ATTR { return hn::LoadU(d, members[m] + i); };
    hn::StoreU(log_mean_exp_of(d, count, load), d, y + i);
  }
  if (i < columns) {
    const auto load = [=](std::size_t m)
                          HWY_ATTR { return load_part(d, members[m] + i, columns - i); };
    store_part(log_mean_exp_of(d, count, load), d, y + i, columns - i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attend {

HWY_EXPORT(log_mean_exp_row);

void FastBackend::log_mean_exp(std::span<const Tensor> members, const Tensor& y) {
  assert(!members.empty() && members.front().shape() == y.shape());
  const auto width = static_cast<std::size_t>(y.cols());
  parallel_for(y.rows(), row_grain(y.cols()), [&](std::int64_t begin, std::int64_t end) {
    std::vector<const float*> rows(members.size());
    for (std::int64_t r = begin; r < end; ++r) {
      for (std::size_t m = 0; m < members.size(); ++m) rows[m] = members[m].row(r);
      HWY_DYNAMIC_DISPATCH(log_mean_exp_row)(rows.data(), rows.size(), y.row(r), width);
    }
  });
}

}  // namespace attend
#endif
