// The function of a soft cap of scores, compiled once per instruction set.
#if defined(ATTEND_BACKEND_FAST_SCORE_CAP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTEND_BACKEND_FAST_SCORE_CAP_INL_H
#undef ATTEND_BACKEND_FAST_SCORE_CAP_INL_H
#else
#define ATTEND_BACKEND_FAST_SCORE_CAP_INL_H
#endif

#include "attend/backend/fast/simd-inl.h"
#include "hwy/contrib/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

// More exact than the tanh of activations: a cap multiplies its error. Keeps NaN.
HWY_INLINE FloatVector exact_tanh(FloatVector x) {
  return hn::IfThenElse(hn::IsNaN(x), x, hn::Tanh(Floats(), x));
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#endif
