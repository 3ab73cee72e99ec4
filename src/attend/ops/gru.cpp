#include "attend/ops/gru.h"

#include "attend/ops/check.h"

namespace attend {

Variable gru_cell(const Variable& x, const Variable& s, const Variable& h) {
  detail::expect_matrix("gru_cell", h);
  detail::expect(x.shape() == Shape{h.dim(0), 3 * h.dim(1)}, "gru_cell", "x [R, 3H] and h [R, H]",
                 x.shape(), h.shape());
  detail::expect(s.shape() == x.shape(), "gru_cell", "x [R, 3H] and s [R, 3H]", x.shape(),
                 s.shape());
  const Tensor y = Tensor::empty(h.shape());
  const Tensor gates = will_record({&x, &s, &h}) ? Tensor::empty(x.shape()) : Tensor();
  backend()->gru_cell(x.value(), s.value(), h.value(), y, gates);

  // dn = dy (1 - z),  dx_n = dn (1 - n^2),  ds_n = r dx_n,  dx_r = ds_r = dx_n s_n r (1 - r),  dx_z
  // = ds_z = dy (h - n) z (1 - z), dh = dy z
  return record(y, {&x, &s, &h},
                [gates, s = s.value(), h = h.value(), dx = x.sink(), ds = s.sink(),
                 dh = h.sink()](const Tensor& dy) {
                  const Tensor to_x = Tensor::empty(s.shape()), to_s = Tensor::empty(s.shape()),
                               to_h = Tensor::empty(h.shape());
                  backend()->gru_cell_backward(gates, s, h, dy, to_x, to_s, to_h);
                  if (dx.needed()) dx.add(to_x);
                  if (ds.needed()) ds.add(to_s);
                  if (dh.needed()) dh.add(to_h);
                });
}

}  // namespace attend
