#include <algorithm>

#include "backend/kernel_case.h"

namespace attend {

namespace {

using Results = std::vector<Tensor>;

// Gates from one exponential and a division each, numbers up to 1; the state is a mean of two of
// size 3.
constexpr Tolerance kGates{2e-6, 2e-6};

Results run_gru_cell(Backend& b, Operands& o, const Shape& shape) {
  const Tensor x = o.normal(shape[0], 3 * shape[1], 2.0f),
               s = o.normal(shape[0], 3 * shape[1], 2.0f);
  const Tensor h = o.normal(shape[0], shape[1]);
  const Tensor y = o.output(shape[0], shape[1]), alone = o.output(shape[0], shape[1]),
               gates = o.output(shape[0], 3 * shape[1]);
  b.gru_cell(x, s, h, y, gates);
  b.gru_cell(x, s, h, alone, {});
  return {y, alone, gates};
}

Results run_gru_cell_backward(Backend& b, Operands& o, const Shape& shape) {
  const Tensor gates = o.normal(shape[0], 3 * shape[1], 0.2f, 0.5f),
               s = o.normal(shape[0], 3 * shape[1]);
  const Tensor h = o.normal(shape[0], shape[1]), dy = o.normal(shape[0], shape[1]);
  const Tensor dx = o.output(shape[0], 3 * shape[1]), ds = o.output(shape[0], 3 * shape[1]),
               dh = o.output(shape[0], shape[1]);
  b.gru_cell_backward(gates, s, h, dy, dx, ds, dh);
  return {dx, ds, dh};
}

// Sequences of 0, 3, 6, ... rows.
std::vector<std::int32_t> sequences_of(std::int64_t rows) {
  std::vector<std::int32_t> offsets{0, 0};
  for (std::int32_t length = 3; offsets.back() < rows; length += 3)
    offsets.push_back(std::min(offsets.back() + length, static_cast<std::int32_t>(rows)));
  return offsets;
}

// A state is a mean of the values so far; a gate is off by some units in its last place.
constexpr Tolerance kStates{4e-6, 4e-6};

Results run_ssru(Backend& b, Operands& o, const Shape& shape) {
  const std::vector<std::int32_t> offsets = sequences_of(shape[0]);
  const Tensor z = o.normal(shape[0], shape[1]), g = o.normal(shape[0], shape[1], 2.0f);
  const Tensor before = o.normal(static_cast<std::int64_t>(offsets.size()) - 1, shape[1]);
  const Tensor c = o.output(shape[0], shape[1]), f = o.output(shape[0], shape[1]),
               alone = o.output(shape[0], shape[1]), after = o.output(shape[0], shape[1]);
  b.ssru(z, g, offsets, {}, c, f);
  b.ssru(z, g, offsets, {}, alone, {});
  b.ssru(z, g, offsets, before, after, {});
  return {c, f, alone, after};
}

Results run_ssru_backward(Backend& b, Operands& o, const Shape& shape) {
  const std::vector<std::int32_t> offsets = sequences_of(shape[0]);
  const Tensor z = o.normal(shape[0], shape[1]), f = o.normal(shape[0], shape[1], 0.1f, 0.5f),
               c = o.normal(shape[0], shape[1]), dc = o.normal(shape[0], shape[1]);
  const Tensor dz = o.output(shape[0], shape[1]), dg = o.output(shape[0], shape[1]);
  b.ssru_backward(z, f, offsets, c, dc, dz, dg);
  return {dz, dg};
}

}  // namespace

std::vector<KernelCase> recurrence_cases() {
  return {{"gru_cell", kMatrixShapes, kGates, run_gru_cell},
          {"gru_cell_backward", kMatrixShapes, kGates, run_gru_cell_backward},
          {"ssru", kMatrixShapes, kStates, run_ssru},
          {"ssru_backward", kMatrixShapes, kStates, run_ssru_backward}};
}

}  // namespace attend
