#include <cassert>
#include <cmath>

#include "attend/backend/reference/reference_backend.h"

namespace attend {

// m = beta1 m + (1 - beta1) g,  v = beta2 v + (1 - beta2) g^2,
// p -= learning_rate * (weight_decay * p + m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) +
// epsilon)).
void ReferenceBackend::adam(const AdamStep& step, const DeviceScalar& gradient_scale,
                            const Tensor& gradient, const Tensor& parameter, const Tensor& mean,
                            const Tensor& variance) {
  assert(gradient.size() == parameter.size() && mean.size() == parameter.size() &&
         variance.size() == parameter.size());
  const double beta1 = step.beta1;
  const double beta2 = step.beta2;
  const double scale = value_of(gradient_scale);
  const double mean_correction = 1.0 - std::pow(beta1, static_cast<double>(step.step));
  const double variance_correction = 1.0 - std::pow(beta2, static_cast<double>(step.step));
  for (std::int64_t i = 0; i < parameter.size(); ++i) {
    const double g = double{gradient.data()[i]} * scale;
    const double m = beta1 * mean.data()[i] + (1.0 - beta1) * g;
    const double v = beta2 * variance.data()[i] + (1.0 - beta2) * g * g;
    const double p = parameter.data()[i];
    const double update = m / mean_correction / (std::sqrt(v / variance_correction) + step.epsilon);
    mean.data()[i] = static_cast<float>(m);
    variance.data()[i] = static_cast<float>(v);
    parameter.data()[i] =
        static_cast<float>(p - step.learning_rate * (step.weight_decay * p + update));
  }
}

}  // namespace attend
