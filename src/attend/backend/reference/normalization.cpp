#include <cassert>
#include <cmath>
#include <vector>

#include "attend/backend/reference/reference_backend.h"

namespace attend {

void ReferenceBackend::layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta,
                                  float epsilon, const Tensor& y, const Tensor& mean,
                                  const Tensor& rstd) {
  assert(x.size() == y.size() && gamma.size() == x.cols());
  assert(!beta.defined() || beta.size() == x.cols());
  const std::int64_t width = x.cols();
  const bool centered = beta.defined();
  for (std::int64_t r = 0; r < x.rows(); ++r) {
    const float* row = x.row(r);
    double average = 0.0;
    for (std::int64_t c = 0; centered && c < width; ++c) average += row[c];
    average /= static_cast<double>(width);

    double variance = 0.0;
    for (std::int64_t c = 0; c < width; ++c) variance += (row[c] - average) * (row[c] - average);
    variance /= static_cast<double>(width);
    const double scale = 1.0 / std::sqrt(variance + epsilon);

    for (std::int64_t c = 0; c < width; ++c) {
      const double shift = centered ? beta.data()[c] : 0.0;
      y.row(r)[c] = static_cast<float>((row[c] - average) * scale * gamma.data()[c] + shift);
    }
    if (mean.defined()) mean.data()[r] = static_cast<float>(average);
    if (rstd.defined()) rstd.data()[r] = static_cast<float>(scale);
  }
}

// With h = (x - mean) * rstd and g = dy * gamma:
//   dx = rstd * (g - average(g) - h * average(g h)),  dgamma += sum over rows of dy h,  dbeta +=
//   sum over rows of dy. RMS normalization has neither averages of x nor that of g.
void ReferenceBackend::layer_norm_backward(const Tensor& x, const Tensor& gamma, const Tensor& mean,
                                           const Tensor& rstd, const Tensor& dy, const Tensor& dx,
                                           const Tensor& dgamma, const Tensor& dbeta) {
  assert(x.size() == dy.size() && x.size() == dx.size());
  const std::int64_t width = x.cols();
  std::vector<double> gamma_total(static_cast<std::size_t>(width));
  std::vector<double> beta_total(static_cast<std::size_t>(width));
  for (std::int64_t r = 0; r < x.rows(); ++r) {
    const double average = mean.defined() ? mean.data()[r] : 0.0;
    const double scale = rstd.data()[r];
    double g_sum = 0.0;
    double gh_sum = 0.0;
    for (std::int64_t c = 0; c < width; ++c) {
      const double h = (x.row(r)[c] - average) * scale;
      const double dy_rc = dy.row(r)[c];
      if (mean.defined()) g_sum += dy_rc * gamma.data()[c];
      gh_sum += dy_rc * gamma.data()[c] * h;
      gamma_total[static_cast<std::size_t>(c)] += dy_rc * h;
      beta_total[static_cast<std::size_t>(c)] += dy_rc;
    }
    for (std::int64_t c = 0; c < width; ++c) {
      const double h = (x.row(r)[c] - average) * scale;
      const double g = double{dy.row(r)[c]} * gamma.data()[c];
      dx.row(r)[c] =
          static_cast<float>(scale * (g - (g_sum + h * gh_sum) / static_cast<double>(width)));
    }
  }
  for (std::int64_t c = 0; c < width; ++c) {
    dgamma.data()[c] += static_cast<float>(gamma_total[static_cast<std::size_t>(c)]);
    if (dbeta.defined())
      dbeta.data()[c] += static_cast<float>(beta_total[static_cast<std::size_t>(c)]);
  }
}

}  // namespace attend
