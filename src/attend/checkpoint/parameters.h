// Moves parameters between a model and the named tensors of a checkpoint.
#pragma once

#include "attend/checkpoint/checkpoint.h"
#include "attend/nn/parameters.h"

namespace attend {

// Adds every parameter by name. `flat` [P] holds the values: parameters.values(), or an average of
// the same layout. Throws ShapeError if some are packed or in 8 bits: models loaded for inference
// are not saved again.
void add_parameters(Checkpoint& checkpoint, const ParameterSet& parameters, const Tensor& flat);

// Adds an 8-bit matrix as two tensors that other programs can read: its values, and a scale per
// row.
void add_quantized(Checkpoint& checkpoint, const std::string& name, const Tensor& quantized);

// Allocates the parameters of a model for inference, fills them and packs the weights. A matrix
// stored in 8 bits, as an I8 tensor [O, I] with "<its name>.scale" [O], stays in 8 bits. Parameters
// that the checkpoint shares with a loaded model stay in its memory. Throws DataError if a
// parameter is missing or has another shape.
void load_parameters(const Checkpoint& checkpoint, ParameterSet& parameters);

// Copies every parameter into `flat`. Throws DataError if one is missing, has another shape or is
// in 8 bits.
void read_parameters(const Checkpoint& checkpoint, const ParameterSet& parameters,
                     const Tensor& flat);

}  // namespace attend
