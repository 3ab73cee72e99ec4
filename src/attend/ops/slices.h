// Slicing, concatenating and reshaping matrices.
#pragma once

#include <vector>

#include "attend/autograd/variable.h"

namespace attend {

// Rows [begin, end) of x [N, D], without a copy. Throws ShapeError if out of range.
Variable slice_rows(const Variable& x, std::int64_t begin, std::int64_t end);

// Columns [begin, end) of x [N, D], without a copy. Throws ShapeError if out of range.
Variable slice_columns(const Variable& x, std::int64_t begin, std::int64_t end);

// The rows of all parts [Ni, D], in order -> [sum of Ni, D]. Throws ShapeError, also without parts.
Variable concat_rows(const std::vector<Variable>& parts);

// a [N, A] and b [N, B] side by side -> [N, A + B]. Throws ShapeError.
Variable concat_columns(const Variable& a, const Variable& b);

// The elements of x, row after row, in another shape. Throws ShapeError for another number of them.
Variable reshape(const Variable& x, const Shape& shape);

}  // namespace attend
