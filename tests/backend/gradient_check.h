// Compares the gradient that a backward kernel gives with differences of the forward kernel.
#pragma once

#include <functional>

#include "attend/tensor/tensor.h"

namespace attend {

// `loss` is a function of the elements of x. `gradient` has its shape and is compared element by
// element with the five-point difference
//   (8 (f(x+h) - f(x-h)) - (f(x+2h) - f(x-2h))) / 12h,   h = 1/64,
// whose truncation error is h^4/30 of the fifth derivative (2e-9) and whose rounding error is that
// of f32 outputs, 6e-8, over h: 4e-6. The tolerance is therefore 5e-5 + 5e-4 * |expected|: ten
// times what was seen, a tenth of what any wrong term would make.
void expect_gradient(const std::function<double()>& loss, const Tensor& x, const Tensor& gradient);

// sum of x * weight: turns any output into a loss whose gradient with respect to the output is
// `weight`.
double weighted_sum(const Tensor& x, const Tensor& weight);

}  // namespace attend
