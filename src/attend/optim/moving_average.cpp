#include "attend/optim/moving_average.h"

#include <algorithm>

#include "attend/backend/backend.h"
#include "attend/core/options/number_range.h"

namespace attend {

MovingAverage::MovingAverage(const ParameterSet& parameters, float decay)
    : parameters_(parameters), decay_(decay), values_(parameters.values().clone()) {
  require_in_range("ema-decay", decay, below_one());
}

void MovingAverage::update(std::int64_t step) {
  const auto n = static_cast<float>(step);
  const float decay = std::min(decay_, (1.0f + n) / (10.0f + n));
  backend()->axpby(1.0f - decay, parameters_.values(), decay, values_);
}

}  // namespace attend
