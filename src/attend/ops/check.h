// Checks shared by the ops. Every message names the op and both shapes: "[linear] expected ..., got
// ...".
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "attend/autograd/variable.h"
#include "attend/backend/backend.h"
#include "attend/error.h"

namespace attend::detail {

inline void expect(bool condition, std::string_view op, std::string_view expected, const Shape& got,
                   const Shape& other) {
  if (!condition)
    throw ShapeError(fmt::format("[{}] expected {}, got {} and {}", op, expected, to_string(got),
                                 to_string(other)));
}

inline void expect_same_shape(std::string_view op, const Variable& a, const Variable& b) {
  expect(a.shape() == b.shape(), op, "equal shapes", a.shape(), b.shape());
}

inline bool is_matrix(const Variable& x) { return x.shape().rank() == 2; }

inline void expect_matrix(std::string_view op, const Variable& x) {
  if (!is_matrix(x))
    throw ShapeError(
        fmt::format("[{}] expected a matrix [N, D], got {}", op, to_string(x.shape())));
}

// One id, target or position per row of x.
inline void expect_one_per_row(std::string_view op, std::string_view what, const Shape& x,
                               std::size_t count) {
  const Shape vector{static_cast<std::int64_t>(count)};
  expect(x.rank() == 2 && x[0] == vector[0], op, fmt::format("x [N, D] and {} [N]", what), x,
         vector);
}

// Masks have 16 bits: a probability that rounds to 1 would drop everything.
inline void expect_probability(std::string_view op, const Dropout& dropout) {
  if (!(dropout.p >= 0.0f && dropout.p < 1.0f - 0x1p-17f))
    throw ConfigError(fmt::format("[{}] expected a dropout probability in [0, 1 - 2^-17), got {}",
                                  op, dropout.p));
}

}  // namespace attend::detail
