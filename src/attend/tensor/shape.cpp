#include "attend/tensor/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "attend/error.h"

namespace attend {

Shape::Shape(std::initializer_list<std::int64_t> dims) : rank_(static_cast<int>(dims.size())) {
  if (rank_ > kMaxRank)
    throw ShapeError(
        fmt::format("[shape] expected at most {} dimensions, got {}", kMaxRank, rank_));
  std::int64_t size = 1;
  for (const std::int64_t dim : dims) {
    if (dim < 0)
      throw ShapeError(
          fmt::format("[shape] expected extents >= 0, got [{}]", fmt::join(dims, ", ")));
    if (__builtin_mul_overflow(size, dim, &size))
      throw ShapeError(fmt::format("[shape] expected fewer than 2^63 elements, got [{}]",
                                   fmt::join(dims, ", ")));
  }
  std::copy(dims.begin(), dims.end(), dims_.begin());
}

std::int64_t Shape::operator[](int axis) const {
  const int index = axis < 0 ? axis + rank_ : axis;
  if (index < 0 || index >= rank_)
    throw ShapeError(fmt::format("[shape] {} has no dimension {}", to_string(*this), axis));
  return dims_[static_cast<std::size_t>(index)];
}

std::int64_t Shape::size() const {
  std::int64_t size = 1;
  for (int i = 0; i < rank_; ++i) size *= dims_[static_cast<std::size_t>(i)];
  return size;
}

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (int i = 0; i < shape.rank(); ++i) text += fmt::format("{}{}", i == 0 ? "" : ", ", shape[i]);
  return text + "]";
}

}  // namespace attend
