#pragma once

#include <cstdint>

#include "attend/nn/parameters/parameters.h"

namespace attend {

// An exponential moving average of the parameters: shadow = decay shadow + (1 - decay) parameters,
// with decay = min(limit, (1+n)/(10+n)) at update n to forget the initial values quickly.
class MovingAverage {
 public:
  MovingAverage(const ParameterSet& parameters, float decay);
  void update(std::int64_t step);
  const Tensor& values() const { return values_; }  // [P]

 private:
  const ParameterSet& parameters_;
  float decay_;
  Tensor values_;
};

}  // namespace attend
