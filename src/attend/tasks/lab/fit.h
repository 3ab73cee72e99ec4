// Least squares through measurements.
#pragma once

#include <utility>
#include <vector>

namespace attend::lab {

// The exponent b of y = a x^b that fits points (x, y) > 0 best, on logarithmic axes. 0 for less than two different x.
double power_law_exponent(const std::vector<std::pair<double, double>>& points);

// The factor a of y = a x that fits best on logarithmic axes, and the largest ratio, either way, of a point to it.
struct Proportionality {
  double factor = 0;
  double worst_ratio = 1;
};
Proportionality fit_proportionality(const std::vector<std::pair<double, double>>& points);

}  // namespace attend::lab
