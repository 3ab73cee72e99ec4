#include "attend/ops/ssru.h"

#include "attend/backend/backend.h"
#include "attend/ops/check.h"

namespace attend {

namespace {

void check_ssru(const Variable& z, const Variable& g, const Ids& offsets, const Tensor& before) {
  detail::expect_matrix("ssru", z);
  detail::expect(z.shape() == g.shape(), "ssru", "z [N, D] and g [N, D]", z.shape(), g.shape());
  if (!offsets || offsets->empty() || offsets->front() != 0 || offsets->back() != z.dim(0))
    throw ShapeError(fmt::format("[ssru] expected offsets [B+1] from 0 to the rows of {}",
                                 to_string(z.shape())));
  if (!before.defined()) return;
  const Shape states{static_cast<std::int64_t>(offsets->size()) - 1, z.dim(1)};
  detail::expect(before.shape() == states, "ssru", "states [B, D] of the offsets", before.shape(),
                 states);
  if (will_record({&z, &g}))
    throw ShapeError("[ssru] states before the sequences need no gradient");
}

}  // namespace

Variable ssru(const Variable& z, const Variable& g, const Ids& offsets, const Tensor& before) {
  check_ssru(z, g, offsets, before);
  const Tensor c = Tensor::empty(z.shape());
  const Tensor f = will_record({&z, &g}) ? Tensor::empty(z.shape()) : Tensor();
  backend()->ssru(z.value(), g.value(), offsets, before, c, f);

  // dc*_t = dc_t + f_{t+1} dc*_{t+1},  dz = dc* (1 - f),  dg = dc* (c_{t-1} - z) f (1 - f)
  return record(c, {&z, &g},
                [f, c, offsets, z = z.value(), dz = z.sink(), dg = g.sink()](const Tensor& dc) {
                  const Tensor to_z = Tensor::empty(c.shape()), to_g = Tensor::empty(c.shape());
                  backend()->ssru_backward(z, f, offsets, c, dc, to_z, to_g);
                  if (dz.needed()) dz.add(to_z);
                  if (dg.needed()) dg.add(to_g);
                });
}

}  // namespace attend
