#include "attend/lab/fit.h"

#include <cmath>

namespace attend::lab {

double power_law_exponent(const std::vector<std::pair<double, double>>& points) {
  double mean_x = 0, mean_y = 0;
  const auto count = static_cast<double>(points.size());
  for (const auto& [x, y] : points) mean_x += std::log(x) / count, mean_y += std::log(y) / count;
  double covariance = 0, variance = 0;
  for (const auto& [x, y] : points) {
    covariance += (std::log(x) - mean_x) * (std::log(y) - mean_y);
    variance += (std::log(x) - mean_x) * (std::log(x) - mean_x);
  }
  return variance > 0 ? covariance / variance : 0;
}

}  // namespace attend::lab
