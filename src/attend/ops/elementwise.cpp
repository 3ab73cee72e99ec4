#include "attend/ops/elementwise.h"

#include "attend/ops/check.h"

namespace attend {

Variable add(const Variable& a, const Variable& b) {
  detail::expect_same_shape("add", a, b);
  const Tensor y = Tensor::empty(a.shape());
  backend()->add(a.value(), b.value(), y);
  // da = dy,   db = dy
  return record(y, {&a, &b}, [da = a.sink(), db = b.sink()](const Tensor& dy) {
    if (da.needed()) da.add(dy);
    if (db.needed()) db.add(dy);
  });
}

Variable multiply(const Variable& a, const Variable& b) {
  detail::expect_same_shape("multiply", a, b);
  const Tensor y = Tensor::empty(a.shape());
  backend()->multiply(a.value(), b.value(), y);
  // da = dy b,   db = dy a
  return record(y, {&a, &b},
                [a = a.value(), b = b.value(), da = a.sink(), db = b.sink()](const Tensor& dy) {
                  const auto send = [&dy](const GradientSink& sink, const Tensor& other) {
                    if (!sink.needed()) return;
                    const Tensor product = Tensor::empty(dy.shape());
                    backend()->multiply(dy, other, product);
                    sink.add(product);
                  };
                  send(da, b);
                  send(db, a);
                });
}

Variable scale(const Variable& x, float factor) {
  const Tensor y = Tensor::empty(x.shape());
  backend()->axpby(factor, x.value(), 0.0f, y);
  // dx = factor dy
  return record(y, {&x}, [factor, dx = x.sink()](const Tensor& dy) {
    const auto [buffer, beta] = dx.target();
    backend()->axpby(factor, dy, beta, buffer);
  });
}

Variable activate(const Variable& x, Activation activation) {
  if (activation == Activation::none) return x;
  const Tensor y = Tensor::empty(x.shape());
  backend()->activate(activation, x.value(), y);
  // dx = dy f'(x)
  return record(y, {&x}, [x = x.value(), activation, dx = x.sink()](const Tensor& dy) {
    const Tensor gradient = Tensor::empty(dy.shape());
    backend()->activate_backward(activation, x, dy, gradient);
    dx.add(gradient);
  });
}

Variable dropout(const Variable& x, const Dropout& dropout) {
  detail::expect_probability("dropout", dropout);
  if (dropout.p == 0.0f) return x;
  const Tensor y = Tensor::empty(x.shape());
  backend()->dropout(dropout, x.value(), y);
  // dx = dy * mask / (1-p), the same function of the gradient
  return record(y, {&x}, [dropout, dx = x.sink()](const Tensor& dy) {
    const Tensor gradient = Tensor::empty(dy.shape());
    backend()->dropout(dropout, dy, gradient);
    dx.add(gradient);
  });
}

Variable scale_rows(const Variable& x, const Variable& factors) {
  detail::expect(detail::is_matrix(x) && factors.shape() == Shape{x.dim(0), 1}, "scale_rows",
                 "x [N, D] and factors [N, 1]", x.shape(), factors.shape());
  const Tensor y = Tensor::empty(x.shape());
  backend()->scale_rows(factors.value(), x.value(), 0.0f, y);
  // dx[n] = factors[n] dy[n],   dfactors[n] = x[n] . dy[n]
  return record(y, {&x, &factors},
                [x = x.value(), factors = factors.value(), dx = x.sink(),
                 dfactors = factors.sink()](const Tensor& dy) {
                  if (dx.needed()) {
                    const auto [buffer, beta] = dx.target();
                    backend()->scale_rows(factors, dy, beta, buffer);
                  }
                  if (dfactors.needed()) {
                    const Tensor gradient = Tensor::empty(factors.shape());
                    backend()->dot_rows(x, dy, gradient);
                    dfactors.add(gradient);
                  }
                });
}

Variable sum(const Variable& x) {
  const Tensor y = Tensor::empty({1});
  backend()->store(backend()->sum(x.value()), 1.0, y);
  // dx[i] = dy
  return record(y, {&x}, [shape = x.shape(), dx = x.sink()](const Tensor& dy) {
    const Tensor gradient = Tensor::full(shape, 1.0f);
    if (!is_unit_gradient(dy))
      backend()->scaled_add(DeviceScalar(dy), 1.0f, gradient, 0.0f, gradient);
    dx.add(gradient);
  });
}

}  // namespace attend
