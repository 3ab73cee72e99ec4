// The activations and their derivatives on vectors.
#if defined(ATTEND_BACKEND_FAST_ACTIVATION_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTEND_BACKEND_FAST_ACTIVATION_INL_H
#undef ATTEND_BACKEND_FAST_ACTIVATION_INL_H
#else
#define ATTEND_BACKEND_FAST_ACTIVATION_INL_H
#endif

#include "attend/backend/backend.h"
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

// The activations x sigma(g(x)), g(x) = x (a + b x^2).
struct SigmoidGate {
  float a;
  float b;
};
inline constexpr SigmoidGate kSwish{1.0f, 0.0f};
inline constexpr SigmoidGate kGeluTanh{1.5957691216f, 1.5957691216f * 0.044715f};
inline constexpr SigmoidGate kQuickGelu{1.702f, 0.0f};

HWY_INLINE FloatVector gate_of(SigmoidGate gate, FloatVector x) {
  const Floats d;
  const auto slope = hn::MulAdd(hn::Mul(x, x), hn::Set(d, gate.b), hn::Set(d, gate.a));
  return sigmoid(hn::Mul(x, slope));
}
HWY_INLINE FloatVector gated(SigmoidGate gate, FloatVector x) {
  return hn::Mul(x, gate_of(gate, x));
}
// (x s)' = s + x s (1 - s) g'(x),  s = sigma(g(x)),  g'(x) = a + 3 b x^2
HWY_INLINE FloatVector gated_derivative(SigmoidGate gate, FloatVector x) {
  const Floats d;
  const auto s = gate_of(gate, x);
  const auto slope = hn::MulAdd(hn::Mul(x, x), hn::Set(d, 3.0f * gate.b), hn::Set(d, gate.a));
  return hn::MulAdd(hn::Mul(x, slope), hn::NegMulAdd(s, s, s), s);
}

// Calls use(f) with the activation as a function of vectors.
template <class Use>
HWY_INLINE void with_activation(Activation activation, const Use& use) {
  switch (activation) {
    case Activation::none:
      return use([](FloatVector x) HWY_ATTR { return x; });
    case Activation::relu:
      return use([](FloatVector x) HWY_ATTR { return relu(x); });
    case Activation::gelu:
      return use([](FloatVector x) HWY_ATTR { return gelu(x); });
    case Activation::tanh:
      return use([](FloatVector x) HWY_ATTR { return tanh_of(x); });
    case Activation::swish:
      return use([](FloatVector x) HWY_ATTR { return gated(kSwish, x); });
    case Activation::gelu_tanh:
      return use([](FloatVector x) HWY_ATTR { return gated(kGeluTanh, x); });
    case Activation::quick_gelu:
      return use([](FloatVector x) HWY_ATTR { return gated(kQuickGelu, x); });
  }
}

// Calls use(f) with f(x, g) = g times the derivative at x. Of relu, x may be the value.
template <class Use>
HWY_INLINE void with_activation_gradient(Activation activation, const Use& use) {
  switch (activation) {
    case Activation::none:
      return use([](FloatVector, FloatVector g) HWY_ATTR { return g; });
    case Activation::relu:
      return use([](FloatVector x, FloatVector g)
                     HWY_ATTR { return hn::IfThenElseZero(hn::Gt(x, hn::Zero(Floats())), g); });
    case Activation::gelu:
      return use([](FloatVector x, FloatVector g)
                     HWY_ATTR { return hn::Mul(g, gelu_derivative(x)); });
    case Activation::tanh:
      return use([](FloatVector x, FloatVector g)
                     HWY_ATTR { return hn::Mul(g, tanh_derivative(x)); });
    case Activation::swish:
      return use([](FloatVector x, FloatVector g)
                     HWY_ATTR { return hn::Mul(g, gated_derivative(kSwish, x)); });
    case Activation::gelu_tanh:
      return use([](FloatVector x, FloatVector g)
                     HWY_ATTR { return hn::Mul(g, gated_derivative(kGeluTanh, x)); });
    case Activation::quick_gelu:
      return use([](FloatVector x, FloatVector g)
                     HWY_ATTR { return hn::Mul(g, gated_derivative(kQuickGelu, x)); });
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#endif
