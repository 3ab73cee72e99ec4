// The layout of packed weights of the CPU backends (cpu/packed_weights.h), which files may hold. It
// is the same for all instruction sets, and every program can turn it into rows.
#pragma once

#include <string_view>

#include "attend/tensor/tensor.h"

namespace attend {

// Panels of 16 rows. Another arrangement of bytes needs another name.
inline constexpr std::string_view kPanelLayout = "panels-16";

// Whether `weights`, not packed, can have this layout: a contiguous matrix of at least one panel,
// f32, bf16, i4, or i8 with I a multiple of four. Looks at no elements.
bool can_pack(const Tensor& weights);

// The rows of packed weights on the host, in its memory whatever the runtime; of the type that they
// had.
Tensor rows_of_panels(const Tensor& weights);

}  // namespace attend
