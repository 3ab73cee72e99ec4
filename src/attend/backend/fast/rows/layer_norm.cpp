// layer_norm and residual_layer_norm: each row is read from memory once; mean and variance are
// computed while it is in cache.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/backend/fast/rows/layer_norm.cpp"
#include "attend/backend/fast/targets.h"
// must come between the two
#include "hwy/foreach_target.h"

#include "attend/backend/fast/philox-inl.h"
#include "attend/backend/fast/rows/rows.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

// The sum of term(x[i]) in four vectors; lanes past the end count as `past_end`.
template <class Term>
HWY_INLINE float row_sum(const float* x, std::size_t count, float past_end, const Term& term) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  auto s0 = hn::Zero(d), s1 = hn::Zero(d), s2 = hn::Zero(d), s3 = hn::Zero(d);
  std::size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    s0 = hn::Add(s0, term(hn::LoadU(d, x + i)));
    s1 = hn::Add(s1, term(hn::LoadU(d, x + i + lanes)));
    s2 = hn::Add(s2, term(hn::LoadU(d, x + i + 2 * lanes)));
    s3 = hn::Add(s3, term(hn::LoadU(d, x + i + 3 * lanes)));
  }
  for (; i + lanes <= count; i += lanes) s0 = hn::Add(s0, term(hn::LoadU(d, x + i)));
  if (i < count) {
    const auto v = hn::IfThenElse(hn::FirstN(d, count - i), load_part(d, x + i, count - i),
                                  hn::Set(d, past_end));
    s1 = hn::Add(s1, term(v));
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
}

// y = (x - mean) rstd gamma + beta for one row; with neither mean nor beta when not centered.
template <bool centered>
HWY_INLINE void normalize_row(const NormRows& rows, const float* x, std::size_t row) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  const auto columns = static_cast<float>(rows.columns);
  const float mean =
      centered ? row_sum(x, rows.columns, 0.0f, [](FloatVector v) HWY_ATTR { return v; }) / columns
               : 0.0f;
  const auto vmean = hn::Set(d, mean);
  const float variance = row_sum(x, rows.columns, mean,
                                 [&](FloatVector v) HWY_ATTR {
                                   const auto difference = hn::Sub(v, vmean);
                                   return hn::Mul(difference, difference);
                                 }) /
                         columns;
  const float rstd = 1.0f / hn::GetLane(hn::Sqrt(hn::Set(d, variance + rows.epsilon)));
  const auto vrstd = hn::Set(d, rstd);
  float* y = rows.y + row * rows.y_stride;
  const auto finished = [&](FloatVector v, FloatVector gamma, auto load_beta) HWY_ATTR {
    const auto normal = hn::Mul(centered ? hn::Sub(v, vmean) : v, vrstd);
    if constexpr (centered) return hn::MulAdd(normal, gamma, load_beta());
    return hn::Mul(normal, gamma);
  };
  std::size_t i = 0;
  for (; i + lanes <= rows.columns; i += lanes) {
    hn::StoreU(finished(hn::LoadU(d, x + i), hn::LoadU(d, rows.gamma + i),
                        [&]() HWY_ATTR { return hn::LoadU(d, rows.beta + i); }),
               d, y + i);
  }
  if (const std::size_t rest = rows.columns - i; rest > 0) {
    store_part(finished(load_part(d, x + i, rest), load_part(d, rows.gamma + i, rest),
                        [&]() HWY_ATTR { return load_part(d, rows.beta + i, rest); }),
               d, y + i, rest);
  }
  if (rows.mean != nullptr) rows.mean[row] = mean;
  if (rows.rstd != nullptr) rows.rstd[row] = rstd;
}

HWY_INLINE void normalize(const NormRows& rows, const float* x, std::size_t row) {
  if (rows.beta != nullptr) {
    normalize_row<true>(rows, x, row);
  } else {
    normalize_row<false>(rows, x, row);
  }
}

void layer_norm_rows(const NormRows& rows, std::size_t begin, std::size_t end) {
  for (std::size_t row = begin; row < end; ++row)
    normalize(rows, rows.x + row * rows.x_stride, row);
}

// sum = x + dropout(branch), then as above.
void residual_layer_norm_rows(const NormRows& rows, const Dropout& dropout, std::size_t begin,
                              std::size_t end) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  const std::uint32_t threshold = dropout.threshold();
  const auto scale = hn::Set(d, dropout.scale());
  const Philox philox(dropout.key);
  for (std::size_t row = begin; row < end; ++row) {
    const float* x = rows.x + row * rows.x_stride;
    const float* branch = rows.branch + row * rows.branch_stride;
    float* sum = rows.sum + row * rows.sum_stride;
    if (threshold == 0) {
      map_rows(x, branch, sum, rows.columns,
               [](FloatVector v, FloatVector w) HWY_ATTR { return hn::Add(v, w); });
    } else {
      const auto add_span = [&](std::size_t column, std::size_t count,
                                const std::uint16_t* bits) HWY_ATTR {
        std::size_t i = column;
        for (; i + lanes <= column + count; i += lanes, bits += lanes) {
          hn::StoreU(
              hn::Add(hn::LoadU(d, x + i), drop(hn::LoadU(d, branch + i), bits, threshold, scale)),
              d, sum + i);
        }
        if (const std::size_t rest = column + count - i; rest > 0) {
          store_part(hn::Add(load_part(d, x + i, rest),
                             drop(load_part(d, branch + i, rest), bits, threshold, scale)),
                     d, sum + i, rest);
        }
      };
      for_dropout_spans(philox, static_cast<std::uint32_t>(row), rows.columns, add_span);
    }
    normalize(rows, sum, row);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "attend/backend/fast/fast_backend.h"
#include "attend/backend/fast/rows/runs.h"

namespace attend {

HWY_EXPORT(layer_norm_rows);
HWY_EXPORT(residual_layer_norm_rows);

namespace {

NormRows norm_rows(const Tensor& x, const Tensor& gamma, const Tensor& beta, float epsilon,
                   const Tensor& y) {
  NormRows rows;
  rows.x = x.data();
  rows.x_stride = x.row_stride();
  rows.gamma = gamma.data();
  if (beta.defined()) rows.beta = beta.data();
  rows.epsilon = epsilon;
  rows.y = y.data();
  rows.y_stride = y.row_stride();
  rows.columns = x.cols();
  return rows;
}

void keep_statistics(NormRows& rows, const Tensor& mean, const Tensor& rstd) {
  if (mean.defined()) rows.mean = mean.data();
  if (rstd.defined()) rows.rstd = rstd.data();
}

}  // namespace

void FastBackend::layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta,
                             float epsilon, const Tensor& y, const Tensor& mean,
                             const Tensor& rstd) {
  NormRows rows = norm_rows(x, gamma, beta, epsilon, y);
  keep_statistics(rows, mean, rstd);
  const auto kernel = HWY_DYNAMIC_DISPATCH(layer_norm_rows);
  parallel_for(x.rows(), row_grain(x.cols()),
               [&](std::int64_t begin, std::int64_t end) { kernel(rows, begin, end); });
}

void FastBackend::residual_layer_norm(const Tensor& x, const Tensor& branch, const Dropout& dropout,
                                      const Tensor& gamma, const Tensor& beta, float epsilon,
                                      const Tensor& sum, const Tensor& y, const Tensor& mean,
                                      const Tensor& rstd) {
  NormRows rows = norm_rows(x, gamma, beta, epsilon, y);
  rows.branch = branch.data();
  rows.branch_stride = branch.row_stride();
  rows.sum = sum.data();
  rows.sum_stride = sum.row_stride();
  keep_statistics(rows, mean, rstd);
  const auto kernel = HWY_DYNAMIC_DISPATCH(residual_layer_norm_rows);
  parallel_for(x.rows(), row_grain(x.cols()),
               [&](std::int64_t begin, std::int64_t end) { kernel(rows, dropout, begin, end); });
}

}  // namespace attend
#endif
