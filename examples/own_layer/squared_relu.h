// Squared ReLU (So et al. 2021, "Primer") as an op, and a feed-forward network that uses it.
// docs/tutorials/own-layer.md builds this example step by step.
#pragma once

#include <string>

#include "attend/nn/layers.h"

namespace attend {

// relu(x)^2, element by element, for any shape.
Variable squared_relu(const Variable& x);

// squared_relu(x W1^T + b1) W2^T + b2.  x [N, D] -> [N, D].
class SquaredFeedForward {
 public:
  // Parameters linear1.weight [F, D], linear1.bias [F], linear2.weight [D, F] and linear2.bias [D].
  SquaredFeedForward(ParameterSet& parameters, const std::string& path, std::int64_t d_model,
                     std::int64_t d_ff);
  Variable forward(const Variable& x, const Pass& pass) const;

 private:
  Linear linear1_;
  Linear linear2_;
};

}  // namespace attend
