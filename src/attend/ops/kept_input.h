// The input of a linear map, as its gradient function keeps it. Private to ops.
#pragma once

#include "attend/autograd/variable.h"
#include "attend/backend/precision.h"

namespace attend::detail {

// An input that can be computed again is, unless that would show: in bf16 the GEMMs of narrow
// layers take so little time that computing all norms again took 3 % of a step at a width of 128.
inline SavedTensor kept_input(const Variable& x, Precision precision) {
  constexpr std::int64_t kNarrow = 256;
  return precision == Precision::bf16 && x.dim(1) <= kNarrow ? SavedTensor(x.value()) : x.kept();
}

}  // namespace attend::detail
