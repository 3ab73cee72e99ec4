// Shape checks shared by the ops. Every message names the op and both shapes: "[linear] expected ..., got ...".
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "attend/autograd/variable.h"
#include "attend/core/error.h"

namespace attend::detail {

inline void expect(bool condition, std::string_view op, std::string_view expected, const Shape& got, const Shape& other) {
  if (!condition) throw ShapeError(fmt::format("[{}] expected {}, got {} and {}", op, expected, to_string(got), to_string(other)));
}

inline void expect_same_shape(std::string_view op, const Variable& a, const Variable& b) {
  expect(a.shape() == b.shape(), op, "equal shapes", a.shape(), b.shape());
}

inline void expect_matrix(std::string_view op, const Variable& x) {
  if (x.shape().rank() != 2) throw ShapeError(fmt::format("[{}] expected a matrix [N, D], got {}", op, to_string(x.shape())));
}

}  // namespace attend::detail
