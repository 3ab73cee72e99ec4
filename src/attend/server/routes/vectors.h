// Vectors as responses have them.
#pragma once

#include <cstdint>
#include <vector>

#include "attend/embedder.h"

namespace attend {

// The first `width` values of a vector, or all for 0; of length 1 if asked for.
std::vector<float> first_values(const Embedding& embedding, std::int64_t width, bool normalize);

}  // namespace attend
