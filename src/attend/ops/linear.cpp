#include "attend/ops/linear.h"

#include "attend/backend/weights.h"
#include "attend/ops/check.h"
#include "attend/ops/kept_input.h"

namespace attend {

Variable linear(const Variable& x, const Variable& weight, const Variable& bias,
                const LinearOptions& options) {
  detail::expect(detail::is_matrix(x) && detail::is_matrix(weight) &&
                     weight_columns(weight.value()) == x.dim(1),
                 "linear", "x [N, I] and weight [O, I]", x.shape(), weight.shape());
  if (bias.defined())
    detail::expect(bias.shape() == Shape{weight.dim(0)}, "linear", "weight [O, I] and bias [O]",
                   weight.shape(), bias.shape());

  const Tensor y = Tensor::empty({x.dim(0), weight.dim(0)});
  const Activation activation = options.activation;
  const Precision precision = options.precision;
  const bool keep_input = !slope_is_of_value(activation) && will_record({&x, &weight, &bias});
  const Tensor before = keep_input ? Tensor::empty(y.shape()) : y;
  backend()->linear(x.value(), weight.value(), bias.value(),
                    {keep_input ? Activation::none : activation, precision}, before);
  if (keep_input) backend()->activate(activation, before, y);

  const Tensor of_slope = activation == Activation::none ? Tensor() : before;
  // y = f(z), z = x W^T + b:   dz = dy f'(z),   dx = dz W,   dW = dz^T x,   db = sum_n dz[n]
  return record(y, {&x, &weight, &bias},
                [x = detail::kept_input(x, precision), w = weight.value(), of_slope, activation,
                 precision, dx = x.sink(), dw = weight.sink(), db = bias.sink()](const Tensor& dy) {
                  Tensor dz = dy;
                  if (activation != Activation::none) {
                    dz = Tensor::empty(dy.shape());
                    backend()->activate_backward(activation, of_slope, dy, dz);
                  }
                  if (dx.needed()) {
                    const auto [buffer, beta] = dx.target();
                    backend()->matmul(dz, w, {.beta = beta, .precision = precision}, buffer);
                  }
                  if (dw.needed()) {
                    const auto [buffer, beta] = dw.target();
                    backend()->matmul(dz, x.value(),
                                      {.transpose_a = true, .beta = beta, .precision = precision},
                                      buffer);
                  }
                  if (db.needed()) {
                    const auto [buffer, beta] = db.target();
                    backend()->sum_rows(dz, beta, buffer);
                  }
                });
}

Variable matmul(const Variable& a, const Variable& b, bool transpose_b) {
  detail::expect(
      detail::is_matrix(a) && detail::is_matrix(b) && a.dim(1) == b.dim(transpose_b ? 1 : 0),
      "matmul", transpose_b ? "a [N, K] and b [M, K]" : "a [N, K] and b [K, M]", a.shape(),
      b.shape());
  const Tensor y = Tensor::empty({a.dim(0), b.dim(transpose_b ? 0 : 1)});
  backend()->matmul(a.value(), b.value(), {.transpose_b = transpose_b}, y);

  // y = a b:     da = dy b^T,   db = a^T dy
  // y = a b^T:   da = dy b,     db = dy^T a
  return record(
      y, {&a, &b},
      [a = a.value(), b = b.value(), transpose_b, da = a.sink(), db = b.sink()](const Tensor& dy) {
        if (da.needed()) {
          const auto [buffer, beta] = da.target();
          backend()->matmul(dy, b, {.transpose_b = !transpose_b, .beta = beta}, buffer);
        }
        if (db.needed()) {
          const auto [buffer, beta] = db.target();
          if (transpose_b) {
            backend()->matmul(dy, a, {.transpose_a = true, .beta = beta}, buffer);
          } else {
            backend()->matmul(a, dy, {.transpose_a = true, .beta = beta}, buffer);
          }
        }
      });
}

}  // namespace attend
