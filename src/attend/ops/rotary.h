#pragma once

#include "attend/autograd/variable.h"
#include "attend/backend/backend.h"

namespace attend {

// Rotates the first columns of x [N, .] by the angles of each row's position (Su et al. 2021); the
// others stay as they are. Throws ShapeError, and for a position outside the table too.
Variable rotate(const Variable& x, const Rotation& rotation);

// Each group of `width` columns `times` times, one after the other: x [N, G*width] -> [N,
// G*times*width]. Heads of queries that share keys see these. Throws ShapeError.
Variable repeat_groups(const Variable& x, std::int64_t width, std::int64_t times);

}  // namespace attend
