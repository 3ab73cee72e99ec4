// Models in fewer bits: rounds the large matrices of a checkpoint (stored_weights.h).
#pragma once

#include "attend/checkpoint/checkpoint.h"
#include "attend/nn/parameters/parameters.h"

namespace attend {

enum class WeightBits { four, eight, sixteen };

// `bits` is 4, 8 or 16. Throws ConfigError otherwise.
WeightBits weight_bits_of(int bits);

// `model` with every matrix of weights in fewer bits. With 4, those whose width is not a multiple
// of kWeightGroup get 8. Omits training state. Throws DataError if the model is quantized already
// or holds a value that is not finite.
Checkpoint quantize_checkpoint(const Checkpoint& model, const ParameterSet& parameters,
                               WeightBits bits = WeightBits::eight);

// The bits of the smallest weights of a model: 4, 8, 16 or 32.
int weight_bits(const Checkpoint& model);

}  // namespace attend
