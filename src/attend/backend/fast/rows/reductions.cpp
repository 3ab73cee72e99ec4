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

#if HWY_TARGET == HWY_WASM
// Highway 1.0 lacks most of the doubles of this set; the compiler has them.
using Doubles = double __attribute__((vector_size(16)));
constexpr std::size_t kDoubles = 2;
HWY_INLINE Doubles doubles(float value) { return Doubles{} + static_cast<double>(value); }
HWY_INLINE Doubles load_doubles(const float* x) {
  return Doubles{static_cast<double>(x[0]), static_cast<double>(x[1])};
}
HWY_INLINE Doubles add(Doubles a, Doubles b) { return a + b; }
HWY_INLINE Doubles add_product(Doubles a, Doubles b, Doubles sum) { return a * b + sum; }
HWY_INLINE double sum_of(Doubles v) { return v[0] + v[1]; }
HWY_INLINE double first_of(Doubles v) { return v[0]; }
#else
using DoubleTag = hn::ScalableTag<double>;
using Doubles = hn::Vec<DoubleTag>;
constexpr std::size_t kDoubles = hn::MaxLanes(DoubleTag());
HWY_INLINE Doubles doubles(float value) { return hn::Set(DoubleTag(), static_cast<double>(value)); }
HWY_INLINE Doubles load_doubles(const float* x) {
  return hn::PromoteTo(DoubleTag(), hn::LoadU(hn::Rebind<float, DoubleTag>(), x));
}
HWY_INLINE Doubles add(Doubles a, Doubles b) { return hn::Add(a, b); }
HWY_INLINE Doubles add_product(Doubles a, Doubles b, Doubles sum) { return hn::MulAdd(a, b, sum); }
HWY_INLINE double sum_of(Doubles v) { return hn::GetLane(hn::SumOfLanes(DoubleTag(), v)); }
HWY_INLINE double first_of(Doubles v) { return hn::GetLane(v); }
#endif

// The sum of term(x[i]) in double precision; term() adds it to what it is given.
template <class Term>
HWY_INLINE double sum_in_double(const float* x, std::size_t count, const Term& term) {
  auto s0 = doubles(0), s1 = doubles(0), s2 = doubles(0), s3 = doubles(0);
  std::size_t i = 0;
  for (; i + 4 * kDoubles <= count; i += 4 * kDoubles) {
    s0 = term(load_doubles(x + i), s0);
    s1 = term(load_doubles(x + i + kDoubles), s1);
    s2 = term(load_doubles(x + i + 2 * kDoubles), s2);
    s3 = term(load_doubles(x + i + 3 * kDoubles), s3);
  }
  auto last = doubles(0);
  for (; i < count; ++i) last = term(doubles(x[i]), last);
  return sum_of(add(add(s0, s1), add(s2, s3))) + first_of(last);
}

double sum_run(const float* x, std::size_t count) {
  return sum_in_double(x, count, [](Doubles v, Doubles s) HWY_ATTR { return add(s, v); });
}

double sum_of_squares_run(const float* x, std::size_t count) {
  return sum_in_double(x, count,
                       [](Doubles v, Doubles s) HWY_ATTR { return add_product(v, v, s); });
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
