// Model files that load faster: matrices packed as kernels read them, which are used in the mapped
// file (checkpoint/safetensors/packed_tensors.h).
#pragma once

#include "attend/checkpoint/checkpoint.h"

namespace attend {

// The same model, to the bit, whose file is used in place. Omits training state. Throws DataError
// for an adapter, whose matrices are no model's, and for what load_model() refuses.
Checkpoint optimize_model(const Checkpoint& model);

}  // namespace attend
