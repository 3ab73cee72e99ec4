#include "attend/ops/softmax.h"

#include "attend/backend/backend.h"
#include "attend/ops/check.h"

namespace attend {

Variable softmax(const Variable& x, float scale) {
  detail::expect_matrix("softmax", x);
  const Tensor y = Tensor::empty(x.shape());
  backend()->softmax(x.value(), scale, y);
  // dx = scale y (dy - rowsum(dy y))
  return record(y, {&x}, [y, scale, dx = x.sink()](const Tensor& dy) {
    const Tensor gradient = Tensor::empty(dy.shape());
    backend()->softmax_backward(y, dy, scale, gradient);
    dx.add(gradient);
  });
}

Variable log_softmax(const Variable& x) {
  detail::expect_matrix("log_softmax", x);
  const Tensor y = Tensor::empty(x.shape());
  backend()->log_softmax(x.value(), y);
  // dx = dy - exp(y) rowsum(dy)
  return record(y, {&x}, [x = x.value(), dx = x.sink()](const Tensor& dy) {
    const Tensor gradient = Tensor::empty(dy.shape());
    backend()->log_softmax_backward(x, dy, gradient);
    dx.add(gradient);
  });
}

}  // namespace attend
