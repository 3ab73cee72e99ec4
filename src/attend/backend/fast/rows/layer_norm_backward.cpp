// layer_norm_backward. With n = (x - mean) rstd and g = dy gamma, row by row:
//   dx = rstd (g - mean(g) - n mean(g n)),  dgamma += dy n,  dbeta += dy.
// RMS normalization has neither a mean nor the terms that come from it.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/backend/fast/rows/layer_norm_backward.cpp"
#include "attend/backend/fast/targets.h"
// must come between the two
#include "hwy/foreach_target.h"

#include "attend/backend/fast/rows/rows.h"
#include "attend/backend/fast/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

// One row: writes dx, adds to dgamma and, when centered, to dbeta.
template <bool centered>
HWY_INLINE void norm_gradient_row(const NormGradientRows& rows, std::size_t row, float* dgamma,
                                  float* dbeta) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t columns = rows.columns;
  const std::size_t whole = columns - columns % lanes;
  const float* x = rows.x + row * rows.x_stride;
  const float* dy = rows.dy + row * rows.dy_stride;
  float* dx = rows.dx + row * rows.dx_stride;
  const auto mean = hn::Set(d, centered ? rows.mean[row] : 0.0f);
  const auto rstd = hn::Set(d, rows.rstd[row]);

  auto sum_g = hn::Zero(d);
  auto sum_gn = hn::Zero(d);
  const auto gather = [&](FloatVector vx, FloatVector vdy, FloatVector vgamma) HWY_ATTR {
    const auto n = hn::Mul(hn::Sub(vx, mean), rstd);
    const auto g = hn::Mul(vdy, vgamma);
    sum_g = hn::Add(sum_g, g);
    sum_gn = hn::MulAdd(g, n, sum_gn);
    return hn::Mul(vdy, n);
  };
  for (std::size_t i = 0; i < whole; i += lanes) {
    const auto vdy = hn::LoadU(d, dy + i);
    const auto dyn = gather(hn::LoadU(d, x + i), vdy, hn::LoadU(d, rows.gamma + i));
    hn::StoreU(hn::Add(hn::LoadU(d, dgamma + i), dyn), d, dgamma + i);
    if constexpr (centered) hn::StoreU(hn::Add(hn::LoadU(d, dbeta + i), vdy), d, dbeta + i);
  }
  const std::size_t rest = columns - whole;
  if (rest > 0) {  // dy is zero past the end, and so are all terms
    const auto vdy = load_part(d, dy + whole, rest);
    const auto dyn =
        gather(load_part(d, x + whole, rest), vdy, load_part(d, rows.gamma + whole, rest));
    store_part(hn::Add(load_part(d, dgamma + whole, rest), dyn), d, dgamma + whole, rest);
    if constexpr (centered)
      store_part(hn::Add(load_part(d, dbeta + whole, rest), vdy), d, dbeta + whole, rest);
  }

  const auto share = hn::Set(d, 1.0f / static_cast<float>(columns));
  const auto mean_g = centered ? hn::Mul(hn::SumOfLanes(d, sum_g), share) : hn::Zero(d);
  const auto mean_gn = hn::Mul(hn::SumOfLanes(d, sum_gn), share);
  const auto combine = [&](FloatVector vx, FloatVector vdy, FloatVector vgamma) HWY_ATTR {
    const auto n = hn::Mul(hn::Sub(vx, mean), rstd);
    return hn::Mul(rstd, hn::NegMulAdd(n, mean_gn, hn::MulSub(vdy, vgamma, mean_g)));
  };
  for (std::size_t i = 0; i < whole; i += lanes) {
    hn::StoreU(combine(hn::LoadU(d, x + i), hn::LoadU(d, dy + i), hn::LoadU(d, rows.gamma + i)), d,
               dx + i);
  }
  if (rest > 0) {
    const auto value = combine(load_part(d, x + whole, rest), load_part(d, dy + whole, rest),
                               load_part(d, rows.gamma + whole, rest));
    store_part(value, d, dx + whole, rest);
  }
}

void norm_gradient_rows(const NormGradientRows& rows, std::size_t begin, std::size_t end,
                        float* dgamma, float* dbeta) {
  for (std::size_t row = begin; row < end; ++row) {
    if (rows.mean != nullptr) {
      norm_gradient_row<true>(rows, row, dgamma, dbeta);
    } else {
      norm_gradient_row<false>(rows, row, dgamma, dbeta);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>

#include "attend/backend/fast/fast_backend.h"
#include "attend/core/threads/parallel.h"

namespace attend {

HWY_EXPORT(norm_gradient_rows);

void FastBackend::layer_norm_backward(const Tensor& x, const Tensor& gamma, const Tensor& mean,
                                      const Tensor& rstd, const Tensor& dy, const Tensor& dx,
                                      const Tensor& dgamma, const Tensor& dbeta) {
  NormGradientRows rows;
  rows.columns = x.cols();
  rows.x = x.data();
  rows.x_stride = x.row_stride();
  rows.gamma = gamma.data();
  if (mean.defined()) rows.mean = mean.data();
  rows.rstd = rstd.data();
  rows.dy = dy.data();
  rows.dy_stride = dy.row_stride();
  rows.dx = dx.data();
  rows.dx_stride = dx.row_stride();
  // Sums over rows consist of partial sums of fixed length, added in order: the same for any number
  // of threads.
  constexpr std::int64_t kRowsPerPart = 256;
  const std::int64_t parts = (x.rows() + kRowsPerPart - 1) / kRowsPerPart;
  const Tensor partial = Tensor::empty({parts, 2, x.cols()});
  const auto kernel = HWY_DYNAMIC_DISPATCH(norm_gradient_rows);
  parallel_for(parts, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      partial.slice_rows(i, i + 1).zero();
      kernel(rows, i * kRowsPerPart, std::min((i + 1) * kRowsPerPart, x.rows()), partial.row(2 * i),
             partial.row(2 * i + 1));
    }
  });
  for (std::int64_t i = 0; i < parts; ++i) {
    const Tensor part = partial.slice_rows(i, i + 1).reshape({2, x.cols()});
    axpby(1.0f, part.slice_rows(0, 1), 1.0f, dgamma);
    if (dbeta.defined()) axpby(1.0f, part.slice_rows(1, 2), 1.0f, dbeta);
  }
}

}  // namespace attend
#endif
