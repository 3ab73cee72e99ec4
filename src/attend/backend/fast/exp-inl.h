// exp in SIMD, compiled once per instruction set.
#if defined(ATTEND_BACKEND_FAST_EXP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTEND_BACKEND_FAST_EXP_INL_H
#undef ATTEND_BACKEND_FAST_EXP_INL_H
#else
#define ATTEND_BACKEND_FAST_EXP_INL_H
#endif

#include "attend/backend/fast/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

// e^x for x <= 88, with a relative error below 1.5e-7; zero where the result would be subnormal (x < -87.3, -infinity too); NaN stays NaN.
//
// x = n ln 2 + r with |r| <= ln(2)/2, so e^x = 2^n e^r. Adding 1.5 * 2^23 leaves n in the low bits of the sum. The polynomial is the
// minimax one of (e^r - 1 - r) / r^2, of degree 4; its error, weighted for e^r, is 3e-9.
HWY_INLINE FloatVector exp_of(Floats d, FloatVector x) {
  const hn::RebindToSigned<Floats> di;
  const auto lowest = hn::Set(d, -87.3365447f);
  const auto shift = hn::Set(d, 12582912.0f);
  const auto vanishes = hn::Lt(x, lowest);
  const auto clamped = hn::Max(lowest, x);  // in this order a NaN survives on x86
  const auto shifted = hn::MulAdd(clamped, hn::Set(d, 1.44269504f), shift);
  const auto n = hn::Sub(shifted, shift);
  auto r = hn::NegMulAdd(n, hn::Set(d, 0.693359375f), clamped);
  r = hn::NegMulAdd(n, hn::Set(d, -2.12194440e-4f), r);
  auto q = hn::MulAdd(r, hn::Set(d, 0.001381454018f), hn::Set(d, 0.008368745109f));
  q = hn::MulAdd(r, q, hn::Set(d, 0.04166839078f));
  q = hn::MulAdd(r, q, hn::Set(d, 0.166665204f));
  q = hn::MulAdd(r, q, hn::Set(d, 0.4999999343f));
  const auto power = hn::Add(hn::ShiftLeft<23>(hn::BitCast(di, shifted)), hn::Set(di, 0x3F800000));
  const auto one_plus_r = hn::Add(r, hn::Set(d, 1.0f));
  const auto e = hn::Mul(hn::MulAdd(hn::Mul(r, r), q, one_plus_r), hn::BitCast(d, power));
  return hn::IfThenZeroElse(vanishes, e);
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#endif
