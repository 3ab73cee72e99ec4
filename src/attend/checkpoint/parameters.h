// Moves parameters between a model and the named tensors of a checkpoint.
#pragma once

#include "attend/checkpoint/checkpoint.h"
#include "attend/nn/parameters/parameters.h"

namespace attend {

// Adds every parameter by name. `flat` [P] holds the values: parameters.values(), or an average of
// the same layout. Throws ShapeError if some are packed or in fewer bits: models loaded for
// inference are not saved again.
void add_parameters(Checkpoint& checkpoint, const ParameterSet& parameters, const Tensor& flat);

// Allocates the parameters of a model for inference, fills them and packs the weights. A matrix
// stored in fewer bits (stored_weights.h) stays so. Parameters that the checkpoint shares with a
// loaded model stay in its memory. Throws DataError if a parameter is missing or has another shape.
void load_parameters(const Checkpoint& checkpoint, ParameterSet& parameters);

// Copies every parameter into `flat`. Throws DataError if one is missing, has another shape or is
// in fewer bits.
void read_parameters(const Checkpoint& checkpoint, const ParameterSet& parameters,
                     const Tensor& flat);

}  // namespace attend
