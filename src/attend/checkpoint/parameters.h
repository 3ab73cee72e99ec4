// Between the parameters of a model and the named tensors of a checkpoint.
#pragma once

#include "attend/checkpoint/checkpoint.h"
#include "attend/nn/parameters.h"

namespace attend {

// Adds every parameter under its name. `flat` [P] holds the values: parameters.values(), or an average of the same layout.
void add_parameters(Checkpoint& checkpoint, const ParameterSet& parameters, const Tensor& flat);

// Copies every parameter into `flat`. Throws DataError when one is missing or has another shape.
void read_parameters(const Checkpoint& checkpoint, const ParameterSet& parameters, const Tensor& flat);

}  // namespace attend
