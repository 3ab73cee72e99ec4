#include <cassert>
#include <cmath>
#include <numbers>

#include "attend/backend/cpu/sigmoid.h"
#include "attend/backend/reference/reference_backend.h"
#include "attend/tensor/bf16.h"

namespace attend {

namespace {

// y[row, column] = value(row, column) for every element of y.
template <class Value>
void for_each_element(const Tensor& y, const Value& value) {
  for (std::int64_t r = 0; r < y.rows(); ++r) {
    for (std::int64_t c = 0; c < y.cols(); ++c) y.row(r)[c] = value(r, c);
  }
}

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }
double normal_density(double x) {
  return std::exp(-0.5 * x * x) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
}

// The activations x sigma(g(x)).
constexpr double kTanhGate = 2.0 * std::numbers::sqrt2 * std::numbers::inv_sqrtpi;  // 2 sqrt(2/pi)
double tanh_gate(double x) { return kTanhGate * (x + 0.044715 * x * x * x); }

// (x s)' = s + x s (1 - s) g'(x),  s = sigma(g(x))
double gated_slope(double x, double gate, double gate_slope) {
  const double s = sigmoid(gate);
  return s + x * s * (1.0 - s) * gate_slope;
}

float slope(Activation activation, float x) {
  switch (activation) {
    case Activation::none:
      return 1.0f;
    case Activation::relu:
      return x > 0.0f ? 1.0f : 0.0f;
    case Activation::gelu:  // (x Phi(x))' = Phi(x) + x phi(x)
      return static_cast<float>(normal_cdf(x) + x * normal_density(x));
    case Activation::tanh:  // 1 - tanh^2
      return static_cast<float>(1.0 - std::tanh(double{x}) * std::tanh(double{x}));
    case Activation::swish:
      return static_cast<float>(gated_slope(x, x, 1.0));
    case Activation::gelu_tanh:
      return static_cast<float>(
          gated_slope(x, tanh_gate(x), kTanhGate * (1.0 + 3.0 * 0.044715 * x * x)));
    case Activation::quick_gelu:
      return static_cast<float>(gated_slope(x, 1.702 * x, 1.702));
  }
  return 0.0f;
}

}  // namespace

float reference::activated(Activation activation, float x) {
  switch (activation) {
    case Activation::none:
      return x;
    case Activation::relu:
      return x < 0.0f ? 0.0f : x;  // NaN stays NaN
    case Activation::gelu:
      return static_cast<float>(x * normal_cdf(x));
    case Activation::tanh:
      return std::tanh(x);
    case Activation::swish:
      return static_cast<float>(x * sigmoid(x));
    case Activation::gelu_tanh:
      return static_cast<float>(x * sigmoid(tanh_gate(x)));
    case Activation::quick_gelu:
      return static_cast<float>(x * sigmoid(1.702 * x));
  }
  return x;
}

void ReferenceBackend::add(const Tensor& a, const Tensor& b, const Tensor& y) {
  assert(a.size() == y.size() && b.size() == y.size());
  for_each_element(y, [&](std::int64_t r, std::int64_t c) { return a.row(r)[c] + b.row(r)[c]; });
}

void ReferenceBackend::multiply(const Tensor& a, const Tensor& b, const Tensor& y) {
  assert(a.size() == y.size() && b.size() == y.size());
  for_each_element(y, [&](std::int64_t r, std::int64_t c) { return a.row(r)[c] * b.row(r)[c]; });
}

void ReferenceBackend::axpby(float alpha, const Tensor& x, float beta, const Tensor& y) {
  assert(x.size() == y.size());
  for_each_element(y, [&](std::int64_t r, std::int64_t c) {
    const double added = double{alpha} * x.row(r)[c];
    return static_cast<float>(beta == 0.0f ? added : added + double{beta} * y.row(r)[c]);
  });
}

void ReferenceBackend::convert(const Tensor& x, const Tensor& y) {
  assert(x.size() == y.size() && x.dtype() != y.dtype());
  for (std::int64_t r = 0; r < y.rows(); ++r) {
    for (std::int64_t c = 0; c < y.cols(); ++c) {
      if (y.dtype() == DType::bf16) {
        y.row<std::uint16_t>(r)[c] = nearest_bf16(x.row(r)[c]);
      } else {
        y.row(r)[c] = float_of_bf16(x.row<std::uint16_t>(r)[c]);
      }
    }
  }
}

void ReferenceBackend::activate(Activation activation, const Tensor& x, const Tensor& y) {
  assert(x.size() == y.size());
  for_each_element(y, [&](std::int64_t r, std::int64_t c) {
    return reference::activated(activation, x.row(r)[c]);
  });
}

void ReferenceBackend::activate_backward(Activation activation, const Tensor& x, const Tensor& dy,
                                         const Tensor& dx) {
  assert(x.size() == dx.size() && dy.size() == dx.size());
  for_each_element(dx, [&](std::int64_t r, std::int64_t c) {
    return dy.row(r)[c] * slope(activation, x.row(r)[c]);
  });
}

void ReferenceBackend::dropout(const Dropout& dropout, const Tensor& x, const Tensor& y) {
  assert(x.size() == y.size());
  for_each_element(y, [&](std::int64_t r, std::int64_t c) {
    const float factor = reference::dropout_factor(dropout, r, c);
    return factor == 0.0f ? 0.0f : x.row(r)[c] * factor;  // a dropped infinity is 0, not NaN
  });
}

}  // namespace attend
