#include "attend/ops/layer_norm.h"

#include "attend/ops/check.h"

namespace attend {

namespace {

void check(std::string_view op, const Variable& x, const LayerNormParameters& n) {
  detail::expect(detail::is_matrix(x) && n.gamma.shape() == Shape{x.dim(1)}, op,
                 "x [N, D] and gamma [D]", x.shape(), n.gamma.shape());
  if (n.beta.defined())
    detail::expect(n.beta.shape() == Shape{x.dim(1)}, op, "x [N, D] and beta [D]", x.shape(),
                   n.beta.shape());
}

// Saved for the backward pass:
//   h = (x - mean) rstd,  g = gamma dy,
//   dx = rstd (g - mean(g) - h mean(g h)),   dgamma = sum_n dy h,   dbeta = sum_n dy
struct Saved {
  Tensor x, gamma, beta, mean, rstd;
  float epsilon;
  GradientSink dgamma, dbeta;
  bool centered;  // false: RMS normalization, no mean and no beta

  Saved(const Tensor& input, const LayerNormParameters& n)
      : x(input),
        gamma(n.gamma.value()),
        beta(n.beta.value()),
        mean(n.beta.defined() ? Tensor::empty({input.dim(0)}) : Tensor()),
        rstd(Tensor::empty({input.dim(0)})),
        epsilon(n.epsilon),
        dgamma(n.gamma.sink()),
        dbeta(n.beta.sink()),
        centered(n.beta.defined()) {}

  // The result, to the same bits.
  Tensor again() const {
    const Tensor y = Tensor::empty(x.shape());
    backend()->layer_norm(x, gamma, beta, epsilon, y, {}, {});
    return y;
  }

  Tensor backward(const Tensor& dy) const {
    const Tensor dx = Tensor::empty(x.shape());
    backend()->layer_norm_backward(x, gamma, mean, rstd, dy, dx, accumulator(dgamma),
                                   centered ? accumulator(dbeta) : Tensor());
    return dx;
  }

 private:
  Tensor accumulator(const GradientSink& sink) const {
    if (!sink.needed()) return Tensor::zeros(gamma.shape());
    const auto [buffer, factor] = sink.target();
    if (factor == 0.0f) buffer.zero();
    return buffer;
  }
};

}  // namespace

Variable layer_norm(const Variable& x, const LayerNormParameters& n) {
  check("layer_norm", x, n);
  const Tensor y = Tensor::empty(x.shape());
  if (!will_record({&x, &n.gamma, &n.beta})) {
    backend()->layer_norm(x.value(), n.gamma.value(), n.beta.value(), n.epsilon, y, {}, {});
    return Variable(y);
  }
  const Saved saved(x.value(), n);
  backend()->layer_norm(x.value(), n.gamma.value(), n.beta.value(), n.epsilon, y, saved.mean,
                        saved.rstd);
  return record(y, {&x, &n.gamma, &n.beta},
                [saved, dx = x.sink()](const Tensor& dy) {
                  const Tensor gradient = saved.backward(dy);
                  if (dx.needed()) dx.add(gradient);
                })
      .computed_again_by([saved] { return saved.again(); });
}

Variable residual_layer_norm(const Variable& x, const Variable& branch, const Dropout& dropout,
                             const LayerNormParameters& n) {
  detail::expect_same_shape("residual_layer_norm", x, branch);
  check("residual_layer_norm", x, n);
  detail::expect_probability("residual_layer_norm", dropout);
  const Tensor y = Tensor::empty(x.shape());
  const Tensor sum = Tensor::empty(x.shape());
  const Saved saved(sum, n);
  backend()->residual_layer_norm(x.value(), branch.value(), dropout, n.gamma.value(),
                                 n.beta.value(), n.epsilon, sum, y, saved.mean, saved.rstd);
  // s = x + mask branch:   dx = ds,   dbranch = mask ds
  return record(y, {&x, &branch, &n.gamma, &n.beta},
                [saved, dropout, dx = x.sink(), dbranch = branch.sink()](const Tensor& dy) {
                  const Tensor ds = saved.backward(dy);
                  if (dbranch.needed()) {
                    Tensor masked = ds;
                    if (dropout.p > 0.0f) {
                      masked = Tensor::empty(ds.shape());
                      backend()->dropout(dropout, ds, masked);
                    }
                    dbranch.add(masked);
                  }
                  if (dx.needed()) dx.add(ds);
                })
      .computed_again_by([saved] { return saved.again(); });
}

}  // namespace attend
