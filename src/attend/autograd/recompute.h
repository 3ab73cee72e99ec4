// Trades time for memory: values of a part of the graph are computed again for its gradient.
#pragma once

#include <functional>
#include <vector>

#include "attend/autograd/variable.h"

namespace attend {

// function(inputs), without keeping what its gradient needs: the backward pass calls the function
// again (Chen et al. 2016, "Training Deep Nets with Sublinear Memory Cost"). It must return the
// same bits each time, draw no random numbers from outside, and use no variables but its inputs and
// leaves. The gradients are those of the function itself, bit for bit.
Variable recomputed(const std::vector<Variable>& inputs,
                    const std::function<Variable(const std::vector<Variable>&)>& function);

}  // namespace attend
