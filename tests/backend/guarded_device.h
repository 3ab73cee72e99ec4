// A device without a GPU: its memory cannot be read or written by this process except while a
// kernel or a copy of the device runs. What touches a tensor's memory anywhere else ends the
// process with a segmentation fault, as it would with memory of a GPU. The arguments of a kernel
// are computed when it counts as running already, so what they touch goes unnoticed.
#pragma once

#include "attend/backend/backend.h"
#include "attend/core/threads/runtime.h"
#include "tensor/guarded_memory.h"

namespace attend {

// The fast kernels. Never destroyed, as devices are.
inline Device guarded_device() {
  static auto& memory = *new GuardedMemory;
  return {&memory, &fast_backend()};
}

}  // namespace attend
