// Between the parameters of a model and the named tensors of a checkpoint.
#pragma once

#include "attend/checkpoint/checkpoint.h"
#include "attend/nn/parameters.h"

namespace attend {

// Adds every parameter under its name. `flat` [P] holds the values: parameters.values(), or an
// average of the same layout. Throws ShapeError when some are packed or in 8 bits: what was loaded
// for inference is not saved again.
void add_parameters(Checkpoint& checkpoint, const ParameterSet& parameters, const Tensor& flat);

// Adds a matrix in 8 bits as two tensors that other programs can read: its numbers, and a scale for
// every row.
void add_quantized(Checkpoint& checkpoint, const std::string& name, const Tensor& quantized);

// Allocates the parameters of a model for inference, fills them in and packs the weights of
// products. A matrix that the file holds in 8 bits, an I8 tensor [O, I] beside "<its name>.scale"
// [O], is kept in 8 bits. Throws DataError when a parameter is missing or has another shape.
void load_parameters(const Checkpoint& checkpoint, ParameterSet& parameters);

// Copies every parameter into `flat`. Throws DataError when one is missing, has another shape or is
// in 8 bits.
void read_parameters(const Checkpoint& checkpoint, const ParameterSet& parameters,
                     const Tensor& flat);

}  // namespace attend
