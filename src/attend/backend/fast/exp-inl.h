// exp in SIMD, compiled once per instruction set.
#if defined(ATTEND_BACKEND_FAST_EXP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTEND_BACKEND_FAST_EXP_INL_H
#undef ATTEND_BACKEND_FAST_EXP_INL_H
#else
#define ATTEND_BACKEND_FAST_EXP_INL_H
#endif

#include "attend/backend/fast/rows/row_reduction-inl.h"
#include "attend/backend/fast/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

// 2^n p where x >= lowest or x is NaN, else zero.
#if HWY_TARGET == HWY_AVX3
HWY_INLINE FloatVector scaled_unless_below(FloatVector x, FloatVector lowest, FloatVector p,
                                           FloatVector n, FloatVector) {
  const __mmask16 counts = _mm512_cmp_ps_mask(x.raw, lowest.raw, _CMP_NLT_UQ);
  return FloatVector{_mm512_maskz_scalef_ps(counts, p.raw, n.raw)};
}
#else
HWY_INLINE FloatVector scaled_unless_below(FloatVector x, FloatVector lowest, FloatVector p,
                                           FloatVector, FloatVector shifted) {
  const Floats d;
  const hn::RebindToSigned<Floats> di;
  const auto power = hn::Add(hn::ShiftLeft<23>(hn::BitCast(di, shifted)), hn::Set(di, 0x3F800000));
  return hn::IfThenZeroElse(hn::Lt(x, lowest), hn::Mul(p, hn::BitCast(d, power)));
}
#endif

// e^x for x <= 88, with a relative error below 1.5e-7; zero if the result would be subnormal (x <
// -87.3, including -infinity); NaN stays NaN.
//
// x = n ln 2 + r with |r| <= ln(2)/2, so e^x = 2^n e^r. Adding 1.5 * 2^23 leaves n in the low bits
// of the sum. The polynomial is the minimax polynomial of degree 4 for (e^r - 1 - r) / r^2; its
// error, weighted for e^r, is 3e-9.
HWY_INLINE FloatVector exp_of(Floats d, FloatVector x) {
  const auto lowest = hn::Set(d, -87.3365447f);
  const auto shift = hn::Set(d, 12582912.0f);
  const auto shifted = hn::MulAdd(x, hn::Set(d, 1.44269504f), shift);
  const auto n = hn::Sub(shifted, shift);
  auto r = hn::NegMulAdd(n, hn::Set(d, 0.693359375f), x);
  r = hn::NegMulAdd(n, hn::Set(d, -2.12194440e-4f), r);
  auto q = hn::MulAdd(r, hn::Set(d, 0.001381454018f), hn::Set(d, 0.008368745109f));
  q = hn::MulAdd(r, q, hn::Set(d, 0.04166839078f));
  q = hn::MulAdd(r, q, hn::Set(d, 0.166665204f));
  q = hn::MulAdd(r, q, hn::Set(d, 0.4999999343f));
  const auto one = hn::Set(d, 1.0f);
  const auto e = hn::MulAdd(r, hn::MulAdd(r, q, one), one);
  return scaled_unless_below(x, lowest, e, n, shifted);
}

// 2^x for x <= 127, with a relative error below 2e-7; zero if the result would be subnormal; NaN
// stays NaN. The polynomial is nearly minimax, of degree 5 with value 1 at 0; its error is 9.2e-8.
HWY_INLINE FloatVector exp2_of(Floats d, FloatVector x) {
  const auto shift = hn::Set(d, 12582912.0f);
  const auto shifted = hn::Add(x, shift);
  const auto n = hn::Sub(shifted, shift);
  const auto r = hn::Sub(x, n);
  auto p = hn::MulAdd(r, hn::Set(d, 0.0013264724f), hn::Set(d, 0.009671519f));
  p = hn::MulAdd(r, p, hn::Set(d, 0.05550734f));
  p = hn::MulAdd(r, p, hn::Set(d, 0.24022242f));
  p = hn::MulAdd(r, p, hn::Set(d, 0.693147f));
  p = hn::MulAdd(r, p, hn::Set(d, 1.0f));
  return scaled_unless_below(x, hn::Set(d, -126.0f), p, n, shifted);
}

// sum_i exp(x[i] - max), where max is the largest: powers of 2 suffice, because the rounding of the
// exponent does not matter for small terms.
HWY_INLINE float sum_of_exponentials(const float* x, std::size_t count, float max) {
  const Floats d;
  const auto shift = hn::Set(d, max), log2_e = hn::Set(d, 1.44269504f);
  return row_sum(x, count,
                 [=](auto v) HWY_ATTR { return exp2_of(d, hn::Mul(hn::Sub(v, shift), log2_e)); });
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#endif
