// Least squares through measurements.
#pragma once

#include <utility>
#include <vector>

namespace attend::lab {

// The exponent b of y = a x^b that fits points (x, y) > 0 best, on logarithmic axes. 0 for less
// than two different x.
double power_law_exponent(const std::vector<std::pair<double, double>>& points);

}  // namespace attend::lab
