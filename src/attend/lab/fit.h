// Least-squares fits.
#pragma once

#include <utility>
#include <vector>

namespace attend::lab {

// The exponent b of the best fit y = a x^b for points (x, y) > 0 on logarithmic axes. 0 for fewer
// than two different x.
double power_law_exponent(const std::vector<std::pair<double, double>>& points);

}  // namespace attend::lab
