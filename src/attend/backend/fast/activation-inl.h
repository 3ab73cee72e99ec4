// The activations and their derivatives on vectors.
#if defined(ATTEND_BACKEND_FAST_ACTIVATION_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTEND_BACKEND_FAST_ACTIVATION_INL_H
#undef ATTEND_BACKEND_FAST_ACTIVATION_INL_H
#else
#define ATTEND_BACKEND_FAST_ACTIVATION_INL_H
#endif

#include "attend/backend/fast/exp-inl.h"
#include "attend/backend/fast/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

// The normal distribution at x: density exp(-x^2/2) / sqrt(2 pi), and Phi(x) = erfc(-x / sqrt 2)
// / 2.
struct Normal {
  FloatVector density;
  FloatVector cumulative;
};

// erfc by Abramowitz & Stegun 7.1.26, |error| < 1.5e-7. Taken at |x| and mirrored, so nothing
// cancels in the lower tail.
HWY_INLINE Normal normal(FloatVector x) {
  const Floats d;
  const auto magnitude = hn::Abs(x);
  const auto one = hn::Set(d, 1.0f);
  const auto bell = exp_of(d, hn::Mul(hn::Mul(x, x), hn::Set(d, -0.5f)));
  const auto t = hn::Div(one, hn::MulAdd(magnitude, hn::Set(d, 0.3275911f * 0.70710678f), one));
  auto p = hn::Set(d, 0.5f * 1.061405429f);
  p = hn::MulAdd(p, t, hn::Set(d, 0.5f * -1.453152027f));
  p = hn::MulAdd(p, t, hn::Set(d, 0.5f * 1.421413741f));
  p = hn::MulAdd(p, t, hn::Set(d, 0.5f * -0.284496736f));
  p = hn::MulAdd(p, t, hn::Set(d, 0.5f * 0.254829592f));
  const auto tail = hn::Mul(hn::Mul(p, t), bell);
  return {hn::Mul(bell, hn::Set(d, 0.3989422804f)),
          hn::IfThenElse(hn::Lt(x, hn::Zero(d)), tail, hn::Sub(one, tail))};
}

// A comparison, so that NaN stays NaN: the result of Max with NaN depends on the instruction set.
HWY_INLINE FloatVector relu(FloatVector x) {
  return hn::IfThenZeroElse(hn::Lt(x, hn::Zero(Floats())), x);
}
HWY_INLINE FloatVector gelu(FloatVector x) { return hn::Mul(x, normal(x).cumulative); }

// d/dx x Phi(x) = Phi(x) + x phi(x)
HWY_INLINE FloatVector gelu_derivative(FloatVector x) {
  const Normal at = normal(x);
  return hn::MulAdd(x, at.density, at.cumulative);
}

// sigma(x) = 1 / (1 + e^-x) and tanh(x) = 2 sigma(2x) - 1, both by an exponential that cannot
// overflow. Absolute error below 2e-7.
HWY_INLINE FloatVector sigmoid(FloatVector x) {
  const Floats d;
  const auto one = hn::Set(d, 1.0f);
  const auto e = exp_of(d, hn::Neg(hn::Abs(x)));
  return hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one), hn::Add(one, e));
}
HWY_INLINE FloatVector tanh_of(FloatVector x) {
  const Floats d;
  const auto one = hn::Set(d, 1.0f);
  const auto e = exp_of(d, hn::Mul(hn::Set(d, -2.0f), hn::Abs(x)));
  return hn::CopySign(hn::Div(hn::Sub(one, e), hn::Add(one, e)), x);
}
HWY_INLINE FloatVector tanh_derivative(FloatVector x) {
  const auto y = tanh_of(x);
  return hn::NegMulAdd(y, y, hn::Set(Floats(), 1.0f));
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#endif
