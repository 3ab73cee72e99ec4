// 8-bit models: rounds the large matrices of a checkpoint.
#pragma once

#include "attend/checkpoint/checkpoint.h"
#include "attend/nn/parameters.h"

namespace attend {

// `model` with every matrix that may be in 8 bits as two tensors: "<name>" I8 [O, I] and
// "<name>.scale" F32 [O]. Omits training state. Throws DataError if the model is quantized already
// or holds a value that is not finite.
Checkpoint quantize_checkpoint(const Checkpoint& model, const ParameterSet& parameters);

}  // namespace attend
