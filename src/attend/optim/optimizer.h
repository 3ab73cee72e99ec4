// Optimizers update the parameters of a model from their gradients.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "attend/collective/collective.h"
#include "attend/nn/parameters/parameters.h"
#include "attend/tensor/device_scalar.h"

namespace attend {

class Optimizer {
 public:
  virtual ~Optimizer() = default;

  // One update from the gradients in the set. Returns the sum of squares of the whole gradient
  // before clipping.
  virtual DeviceScalar step(float learning_rate) = 0;

  // From now on the steps of all these processes, which have equal parameters and gradients, are
  // one: each may compute a part for all. The bits are those of one process. `processes` must
  // outlive the optimizer.
  virtual void share_steps(Collective& /*processes*/) {}

  // The parameters that steps of this optimizer change: disjoint parts of their flat buffer.
  virtual std::vector<ParameterRange> updated() const = 0;

  // The state for checkpoints: named tensors to write or read, and the number of updates. Tensors
  // are [n]; the tensors of all shares, concatenated, are those of a single optimizer.
  virtual std::vector<std::pair<std::string_view, Tensor>> state() const = 0;
  virtual std::int64_t steps() const = 0;
  virtual void set_steps(std::int64_t steps) = 0;
};

}  // namespace attend
