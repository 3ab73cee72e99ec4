// Models in fewer bits: rounds the large matrices of a checkpoint.
#pragma once

#include "attend/checkpoint/checkpoint.h"
#include "attend/nn/parameters.h"

namespace attend {

enum class WeightBits { eight, sixteen };

// Of 8 or 16. Throws ConfigError otherwise.
WeightBits weight_bits_of(int bits);

// `model` with every matrix of weights in fewer bits: in 16 as BF16, in 8 as two tensors, "<name>"
// I8 [O, I] and "<name>.scale" F32 [O]. Omits training state. Throws DataError if the model is
// quantized already or holds a value that is not finite.
Checkpoint quantize_checkpoint(const Checkpoint& model, const ParameterSet& parameters,
                               WeightBits bits = WeightBits::eight);

// The bits of the smallest weights of a model: 8, 16 or 32.
int weight_bits(const Checkpoint& model);

}  // namespace attend
