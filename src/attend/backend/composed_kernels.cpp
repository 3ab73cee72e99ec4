// Kernels that do what others do one after the other.
#include <cmath>

#include "attend/backend/backend.h"

namespace attend {

void Backend::residual_layer_norm(const Tensor& x, const Tensor& branch, const Dropout& dropout,
                                  const Tensor& gamma, const Tensor& beta, float epsilon,
                                  const Tensor& sum, const Tensor& y, const Tensor& mean,
                                  const Tensor& rstd) {
  this->dropout(dropout, branch, sum);
  add(x, sum, sum);
  layer_norm(sum, gamma, beta, epsilon, y, mean, rstd);
}

// d KL(p || q) / da = p (log p - log q - KL(p || q)),   d KL(q || p) / da = p - q.
void Backend::paired_cross_entropy(const Tensor& a, const Tensor& b, const Ids& targets,
                                   const PairedLoss& options, const Tensor& losses,
                                   const Tensor& nll) {
  const std::int64_t classes = a.cols();
  const Tensor log_p = Tensor::empty(a.shape()), log_q = Tensor::empty(b.shape());
  log_softmax(a, log_p);
  log_softmax(b, log_q);
  const Tensor losses_b = Tensor::empty(losses.shape()), nll_b = Tensor::empty(nll.shape());
  cross_entropy(a, targets, options.label_smoothing, 0.5f * options.gradient_scale, losses, nll);
  cross_entropy(b, targets, options.label_smoothing, 0.5f * options.gradient_scale, losses_b,
                nll_b);
  for (std::int64_t n = 0; n < a.rows(); ++n) {
    double towards_b = 0.0, towards_a = 0.0;
    for (std::int64_t v = 0; v < classes; ++v) {
      const double difference = double{log_p.row(n)[v]} - log_q.row(n)[v];
      towards_b += std::exp(double{log_p.row(n)[v]}) * difference;
      towards_a -= std::exp(double{log_q.row(n)[v]}) * difference;
    }
    const double mean = 0.5 * (double{losses.data()[n]} + losses_b.data()[n]);
    losses.data()[n] =
        static_cast<float>(mean + 0.25 * options.divergence * (towards_b + towards_a));
    nll.data()[n] = 0.5f * (nll.data()[n] + nll_b.data()[n]);
    if (options.gradient_scale == 0.0f) continue;
    const double weight = 0.25 * options.divergence * options.gradient_scale;
    for (std::int64_t v = 0; v < classes; ++v) {
      const double p = std::exp(double{log_p.row(n)[v]}), q = std::exp(double{log_q.row(n)[v]});
      const double difference = double{log_p.row(n)[v]} - log_q.row(n)[v];
      a.row(n)[v] += static_cast<float>(weight * (p * (difference - towards_b) + p - q));
      b.row(n)[v] += static_cast<float>(weight * (q * (-difference - towards_a) + q - p));
    }
  }
}

void Backend::projected_top_k(const Tensor& x, const OutputProjection& output, int k,
                              const Tensor& values, const Tensor& indices) {
  const Tensor logits = Tensor::empty({x.rows(), output.weight.rows()});
  linear(x, output.weight, output.bias, {}, logits);
  log_softmax_top_k(logits, k, values, indices);
}

}  // namespace attend
