// Tensors as messages.
#pragma once

#include "attend/collective/collective.h"
#include "attend/tensor/tensor.h"

namespace attend {

// Collective::exchange() of contiguous tensors, in whatever memory they are.
void exchange(Collective& processes, int partner, const Tensor& sent, const Tensor& received);

// Throws ConfigError, naming the caller, unless there are 1, 2, 4, 8, ... processes.
void require_power_of_two(const Collective& processes, const char* caller);

}  // namespace attend
