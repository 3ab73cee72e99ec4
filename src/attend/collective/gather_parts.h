// A tensor whose parts were computed by different processes.
#pragma once

#include <cstdint>
#include <span>

#include "attend/collective/collective.h"
#include "attend/tensor/tensor.h"

namespace attend {

// Copies the parts of `values` (f32, [P], equally many on every process) to all processes: part r,
// which process r has, is the elements from begins[r] to begins[r + 1], so there is one number more
// than processes. Parts may be empty and of any lengths. Neighbors exchange their parts, then what
// they both have with the next two, and so on (recursive doubling). Throws ConfigError unless the
// number of processes is a power of two.
void gather_parts(Collective& processes, const Tensor& values,
                  std::span<const std::int64_t> begins);

}  // namespace attend
