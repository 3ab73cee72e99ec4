// The names of the weights of a native Marian model.
#pragma once

#include "attend/interchange/weights/name_map.h"
#include "attend/interchange/weights/tensor_table.h"
#include "attend/models/architecture.h"

namespace attend {

NameMap native_marian_names(const TransformerConfig& shape, const TensorTable& weights);

}  // namespace attend
