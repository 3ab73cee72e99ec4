// What turns the gradients of a model into its next parameters.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "attend/nn/parameters.h"
#include "attend/tensor/device_scalar.h"

namespace attend {

class Optimizer {
 public:
  virtual ~Optimizer() = default;

  // One update from the gradients in the set. Returns the sum of squares of the whole gradient
  // before clipping.
  virtual DeviceScalar step(float learning_rate) = 0;

  // What it remembers, for checkpoints: named tensors, to be written or read into, and the number
  // of updates made.
  virtual std::vector<std::pair<std::string_view, Tensor>> state() const = 0;
  virtual std::int64_t steps() const = 0;
  virtual void set_steps(std::int64_t steps) = 0;
};

}  // namespace attend
