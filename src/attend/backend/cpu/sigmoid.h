#pragma once

#include <cmath>

namespace attend {

inline double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

}  // namespace attend
