#pragma once

#include "attend/autograd/variable.h"
#include "attend/backend/backend.h"

namespace attend {

// Rotates the first columns of x [N, .] by the angles of each row's position (Su et al. 2021);
// copies the others. Throws ShapeError, also for a position outside the table.
Variable rotate(const Variable& x, const Rotation& rotation);

// Repeats each group of `width` columns `times` times: x [N, G*width] -> [N, G*times*width], for
// query heads that share keys. Throws ShapeError.
Variable repeat_groups(const Variable& x, std::int64_t width, std::int64_t times);

}  // namespace attend
