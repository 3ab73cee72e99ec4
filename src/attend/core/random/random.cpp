#include "attend/core/random/random.h"

#include <cmath>
#include <numbers>

namespace attend {

float Random::normal() {
  const float u = 1.0f - uniform();  // (0, 1]: the logarithm stays finite
  const float v = uniform();
  return std::sqrt(-2.0f * std::log(u)) * std::cos(2.0f * std::numbers::pi_v<float> * v);
}

}  // namespace attend
