// Models in 8 bits: the large matrices of a checkpoint rounded, everything else left as it is.
#pragma once

#include "attend/checkpoint/checkpoint.h"
#include "attend/nn/parameters.h"

namespace attend {

// `model` with every matrix that its parameters say can be kept in 8 bits as two tensors: "<name>"
// I8 [O, I] and "<name>.scale" F32 [O]. What only training needs is left out. Throws DataError when
// the model is quantized already or holds a number that is not finite.
Checkpoint quantize_checkpoint(const Checkpoint& model, const ParameterSet& parameters);

}  // namespace attend
