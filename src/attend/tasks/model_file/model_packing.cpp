#include "attend/tasks/model_file/model_packing.h"

#include "attend/checkpoint/safetensors/packed_tensors.h"
#include "attend/tasks/model_file/registry.h"

namespace attend {

Checkpoint optimize_model(const Checkpoint& model) {
  return pack_tensors(model, load_model(model)->parameters());
}

}  // namespace attend
