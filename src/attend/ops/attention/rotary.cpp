#include "attend/ops/attention/rotary.h"

#include <algorithm>

#include "attend/ops/check.h"

namespace attend {

Variable rotate(const Variable& x, const Rotation& rotation) {
  detail::expect_matrix("rotate", x);
  detail::expect_one_per_row("rotate", "positions", x.shape(), rotation.position->size());
  const Shape angles = rotation.angles.shape();
  detail::expect(angles.rank() == 2 && angles[1] % 2 == 0 && rotation.columns <= x.dim(1) &&
                     rotation.columns % std::max<std::int64_t>(angles[1], 1) == 0,
                 "rotate", "x [N, columns and more] and angles [P, even], a divisor of columns",
                 x.shape(), angles);
  for (const std::int32_t position : *rotation.position) {
    if (position < 0 || position >= angles[0])
      throw ShapeError(
          fmt::format("[rotate] expected positions 0..{}, got {}", angles[0] - 1, position));
  }
  const Tensor y = Tensor::empty(x.shape());
  backend()->rotate(x.value(), rotation, y);
  // A rotation is undone by its transpose:   dx = R^T dy
  return record(y, {&x}, [rotation, dx = x.sink()](const Tensor& dy) {
    const Tensor rotated = Tensor::empty(dy.shape());
    Rotation back = rotation;
    back.back = !rotation.back;
    backend()->rotate(dy, back, rotated);
    dx.add(rotated);
  });
}

Variable repeat_groups(const Variable& x, std::int64_t width, std::int64_t times) {
  detail::expect_matrix("repeat_groups", x);
  if (width < 1 || times < 1 || x.dim(1) % width != 0)
    throw ShapeError(fmt::format("[repeat_groups] expected groups of {} columns, got {}", width,
                                 to_string(x.shape())));
  if (times == 1) return x;
  const std::int64_t groups = x.dim(1) / width;
  const Tensor y = Tensor::empty({x.dim(0), groups * times * width});
  // Calls use(group, column of the copy) for every copy of every group.
  const auto for_copies = [=](const auto& use) {
    for (std::int64_t copy = 0; copy < groups * times; ++copy) use(copy / times, copy * width);
  };
  for_copies([&](std::int64_t group, std::int64_t column) {
    y.slice_columns(column, column + width)
        .copy_from(x.value().slice_columns(group * width, (group + 1) * width));
  });
  // dx = the sum of dy over the copies
  return record(y, {&x}, [for_copies, width, dx = x.sink()](const Tensor& dy) {
    const auto [buffer, beta] = dx.target();
    if (beta == 0.0f) buffer.zero();
    for_copies([&, to = buffer](std::int64_t group, std::int64_t column) {
      const Tensor sum = to.slice_columns(group * width, (group + 1) * width);
      backend()->add(sum, dy.slice_columns(column, column + width), sum);
    });
  });
}

}  // namespace attend
