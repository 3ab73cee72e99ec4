#include "attend/tensor/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "attend/error.h"

namespace attend {

void Shape::throw_invalid(std::span<const std::int64_t> dims) {
  if (dims.size() > kMaxRank)
    throw ShapeError(
        fmt::format("[shape] expected at most {} dimensions, got {}", kMaxRank, dims.size()));
  if (std::any_of(dims.begin(), dims.end(), [](std::int64_t dim) { return dim < 0; }))
    throw ShapeError(fmt::format("[shape] expected extents >= 0, got [{}]", fmt::join(dims, ", ")));
  throw ShapeError(
      fmt::format("[shape] expected fewer than 2^63 elements, got [{}]", fmt::join(dims, ", ")));
}

void Shape::throw_no_dimension(int axis) const {
  throw ShapeError(fmt::format("[shape] {} has no dimension {}", to_string(*this), axis));
}

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (int i = 0; i < shape.rank(); ++i) text += fmt::format("{}{}", i == 0 ? "" : ", ", shape[i]);
  return text + "]";
}

}  // namespace attend
