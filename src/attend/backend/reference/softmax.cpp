#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "attend/backend/ids_span.h"
#include "attend/backend/reference/reference_backend.h"

namespace attend {

namespace {

// log sum_c exp(scale * row[c]), relative to the largest term so that nothing overflows.
double log_sum_exp(const float* row, std::int64_t width, double scale) {
  double largest = -std::numeric_limits<double>::infinity();
  for (std::int64_t c = 0; c < width; ++c) largest = std::max(largest, scale * row[c]);
  double total = 0.0;
  for (std::int64_t c = 0; c < width; ++c) total += std::exp(scale * row[c] - largest);
  return largest + std::log(total);
}

}  // namespace

void ReferenceBackend::softmax(const Tensor& x, float scale, const Tensor& y) {
  assert(x.size() == y.size());
  for (std::int64_t r = 0; r < x.rows(); ++r) {
    const double normalizer = log_sum_exp(x.row(r), x.cols(), scale);
    for (std::int64_t c = 0; c < x.cols(); ++c)
      y.row(r)[c] = static_cast<float>(std::exp(double{scale} * x.row(r)[c] - normalizer));
  }
}

void ReferenceBackend::log_softmax(const Tensor& x, const Tensor& y) {
  assert(x.size() == y.size());
  for (std::int64_t r = 0; r < x.rows(); ++r) {
    const double normalizer = log_sum_exp(x.row(r), x.cols(), 1.0);
    for (std::int64_t c = 0; c < x.cols(); ++c)
      y.row(r)[c] = static_cast<float>(x.row(r)[c] - normalizer);
  }
}

// dx = scale * y * (dy - sum_c y dy)
void ReferenceBackend::softmax_backward(const Tensor& y, const Tensor& dy, float scale,
                                        const Tensor& dx) {
  assert(y.size() == dy.size() && y.size() == dx.size());
  for (std::int64_t r = 0; r < y.rows(); ++r) {
    double dot = 0.0;
    for (std::int64_t c = 0; c < y.cols(); ++c) dot += double{y.row(r)[c]} * dy.row(r)[c];
    for (std::int64_t c = 0; c < y.cols(); ++c)
      dx.row(r)[c] = static_cast<float>(double{scale} * y.row(r)[c] * (dy.row(r)[c] - dot));
  }
}

// dx = dy - exp(log_softmax(x)) sum_c dy
void ReferenceBackend::log_softmax_backward(const Tensor& x, const Tensor& dy, const Tensor& dx) {
  assert(x.size() == dy.size() && x.size() == dx.size());
  for (std::int64_t r = 0; r < x.rows(); ++r) {
    const double normalizer = log_sum_exp(x.row(r), x.cols(), 1.0);
    double total = 0.0;
    for (std::int64_t c = 0; c < x.cols(); ++c) total += dy.row(r)[c];
    for (std::int64_t c = 0; c < x.cols(); ++c)
      dx.row(r)[c] = static_cast<float>(dy.row(r)[c] - std::exp(x.row(r)[c] - normalizer) * total);
  }
}

// With q the smoothed target distribution, q[v] = (1-s) [v = t] + s/V:  loss = -sum_v q[v] log
// p[v],  dloss/dlogits = p - q.
void ReferenceBackend::cross_entropy(const Tensor& logits, const Ids& targets,
                                     float label_smoothing, float gradient_scale,
                                     const Tensor& losses, const Tensor& nll) {
  const std::int64_t classes = logits.cols();
  const auto wanted_class = device_span(targets);
  const double share = double{label_smoothing} / static_cast<double>(classes);
  for (std::int64_t n = 0; n < logits.rows(); ++n) {
    float* row = logits.row(n);
    const std::int32_t target = wanted_class[static_cast<std::size_t>(n)];
    assert(target >= 0 && target < classes);
    const double normalizer = log_sum_exp(row, classes, 1.0);
    double log_p_sum = 0.0;
    for (std::int64_t v = 0; v < classes; ++v) log_p_sum += row[v] - normalizer;
    const double log_p = row[target] - normalizer;
    // Without smoothing, a class of probability zero (a logit of -infinity) costs nothing: avoids 0
    // * infinity.
    const double smoothing_loss = label_smoothing == 0.0f ? 0.0 : -share * log_p_sum;
    losses.data()[n] = static_cast<float>(-(1.0 - label_smoothing) * log_p + smoothing_loss);
    nll.data()[n] = static_cast<float>(-log_p);

    if (gradient_scale == 0.0f) continue;
    for (std::int64_t v = 0; v < classes; ++v) {
      const double wanted = share + (v == target ? 1.0 - label_smoothing : 0.0);
      row[v] = static_cast<float>(gradient_scale * (std::exp(row[v] - normalizer) - wanted));
    }
  }
}

}  // namespace attend
