// Vectors as responses have them.
#pragma once

#include <cstdint>
#include <vector>

#include "attend/embedder.h"
#include "attend/server/route.h"

namespace attend {

// "dimensions": how many values of a vector to keep; 0: all. Throws HttpError for more than the
// vectors of the model have.
std::int64_t dimensions_of(const Parameters& parameters, const Embedder& embedder);

// The first `width` values of a vector, or all for 0; of length 1 if asked for.
std::vector<float> first_values(const Embedding& embedding, std::int64_t width, bool normalize);

}  // namespace attend
