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

}  // namespace

std::vector<KernelCase> recurrence_cases() {
  return {{"gru_cell", kMatrixShapes, kGates, run_gru_cell},
          {"gru_cell_backward", kMatrixShapes, kGates, run_gru_cell_backward}};
}

}  // namespace attend
