// How many elements the rows of weights in 8 or 4 bits may have.
#pragma once

#include <cstdint>

namespace attend {

// Sums of a deeper product could overflow their 32 bits: 3 * 127^2 for each element, with the
// outliers of cpu/quantized_weights.h.
inline constexpr std::int64_t kMostQuantizedDepth = 44'000;

}  // namespace attend
