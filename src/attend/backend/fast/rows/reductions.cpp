// sum_rows, sum, sum_of_squares. Sums consist of partial sums over fixed ranges, added in order:
// the result is the same for any number of threads.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/backend/fast/rows/reductions.cpp"
#include "attend/backend/fast/targets.h"
// must come between the two
#include "hwy/foreach_target.h"

#include "attend/backend/fast/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

// partial[c] = sum over `rows` rows of x[., c], four rows at a time.
void sum_rows_part(const float* x, std::size_t stride, std::size_t rows, std::size_t columns,
                   float* partial) {
  map_row(partial, partial, columns, [](FloatVector) HWY_ATTR { return hn::Zero(Floats()); });
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t row = 0;
  for (; row + 4 <= rows; row += 4) {
    const float* a = x + row * stride;
    const float *b = a + stride, *c = b + stride, *e = c + stride;
    std::size_t i = 0;
    for (; i + lanes <= columns; i += lanes) {
      const auto pair = hn::Add(hn::LoadU(d, a + i), hn::LoadU(d, b + i));
      const auto four = hn::Add(pair, hn::Add(hn::LoadU(d, c + i), hn::LoadU(d, e + i)));
      hn::StoreU(hn::Add(hn::LoadU(d, partial + i), four), d, partial + i);
    }
    for (; i < columns; ++i) partial[i] += (a[i] + b[i]) + (c[i] + e[i]);
  }
  for (; row < rows; ++row) {
    map_rows(partial, x + row * stride, partial, columns,
             [](FloatVector s, FloatVector v) HWY_ATTR { return hn::Add(s, v); });
  }
}

// The sum of term(x[i]) in double precision.
template <class Term>
HWY_INLINE double sum_in_double(const float* x, std::size_t count, const Term& term) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> d32;
  const std::size_t lanes = hn::Lanes(d);
  auto s0 = hn::Zero(d), s1 = hn::Zero(d), s2 = hn::Zero(d), s3 = hn::Zero(d);
  std::size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    s0 = term(hn::PromoteTo(d, hn::LoadU(d32, x + i)), s0);
    s1 = term(hn::PromoteTo(d, hn::LoadU(d32, x + i + lanes)), s1);
    s2 = term(hn::PromoteTo(d, hn::LoadU(d32, x + i + 2 * lanes)), s2);
    s3 = term(hn::PromoteTo(d, hn::LoadU(d32, x + i + 3 * lanes)), s3);
  }
  auto last = hn::Zero(d);
  for (; i < count; ++i) last = term(hn::Set(d, static_cast<double>(x[i])), last);
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)))) +
         hn::GetLane(last);
}

double sum_run(const float* x, std::size_t count) {
  return sum_in_double(x, count, [](auto v, auto s) HWY_ATTR { return hn::Add(s, v); });
}

double sum_of_squares_run(const float* x, std::size_t count) {
  return sum_in_double(x, count, [](auto v, auto s) HWY_ATTR { return hn::MulAdd(v, v, s); });
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "attend/backend/fast/fast_backend.h"
#include "attend/backend/fast/rows/runs.h"

namespace attend {

HWY_EXPORT(sum_rows_part);
HWY_EXPORT(sum_run);
HWY_EXPORT(sum_of_squares_run);

namespace {

constexpr std::int64_t kElementsPerPart = 16384;

// The sum of run(x, count) over parts of fixed size: kElementsPerPart for contiguous tensors, else
// one row.
template <class Run>
double sum_of_runs(const Tensor& x, const Run& run) {
  const std::int64_t part = x.contiguous() ? kElementsPerPart : x.cols();
  const std::int64_t parts = x.size() == 0 ? 0 : (x.size() + part - 1) / part;
  const Tensor memory = Tensor::empty({2 * parts});
  auto* partial = reinterpret_cast<double*>(memory.bytes());
  parallel_for(parts, std::max<std::int64_t>(1, kGrain / part),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin; i < end; ++i) {
                   partial[i] = x.contiguous()
                                    ? run(x.data() + i * part, std::min(part, x.size() - i * part))
                                    : run(x.row(i), part);
                 }
               });
  double total = 0.0;
  for (std::int64_t i = 0; i < parts; ++i) total += partial[i];
  return total;
}

}  // namespace

void FastBackend::sum_rows(const Tensor& x, float beta, const Tensor& y) {
  const auto kernel = HWY_DYNAMIC_DISPATCH(sum_rows_part);
  const std::int64_t parts = (x.rows() + kSumBlock - 1) / kSumBlock;
  const Tensor partial = Tensor::empty({parts, x.cols()});
  parallel_for(parts, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      kernel(x.row(i * kSumBlock), x.row_stride(), std::min(kSumBlock, x.rows() - i * kSumBlock),
             x.cols(), partial.row(i));
    }
  });
  if (parts == 0) return beta == 0.0f ? y.zero() : axpby(beta, y, 0.0f, y);
  for (std::int64_t i = 0; i < parts; ++i)
    axpby(1.0f, partial.slice_rows(i, i + 1), i == 0 ? beta : 1.0f, y);
}

DeviceScalar FastBackend::sum(const Tensor& x) {
  return device_scalar(sum_of_runs(x, HWY_DYNAMIC_DISPATCH(sum_run)));
}

DeviceScalar FastBackend::sum_of_squares(const Tensor& x) {
  return device_scalar(sum_of_runs(x, HWY_DYNAMIC_DISPATCH(sum_of_squares_run)));
}

}  // namespace attend
#endif
