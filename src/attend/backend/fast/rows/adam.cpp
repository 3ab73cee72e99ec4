// adam: one pass, seven memory streams (four read, three written).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/backend/fast/rows/adam.cpp"
#include "attend/backend/fast/targets.h"
// must come between the two
#include "hwy/foreach_target.h"

#include "attend/backend/backend.h"
#include "attend/backend/fast/rows/rows.h"
#include "attend/backend/fast/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

void adam_run(const AdamRun& run, const float* gradient, float* parameter, float* mean,
              float* variance, std::size_t count) {
  const AdamStep& step = run.step;
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  const auto beta1 = hn::Set(d, step.beta1);
  const auto rest1 = hn::Set(d, 1.0f - step.beta1);
  const auto beta2 = hn::Set(d, step.beta2);
  const auto rest2 = hn::Set(d, 1.0f - step.beta2);
  const auto epsilon = hn::Set(d, step.epsilon);
  const auto rate = hn::Set(d, step.learning_rate * run.correction1);
  const auto scale2 = hn::Set(d, run.correction2);
  const auto keep = hn::Set(d, 1.0f - step.learning_rate * step.weight_decay);
  const auto gradient_scale = hn::Set(d, run.gradient_scale);
  const auto update = [&](FloatVector g, FloatVector& p, FloatVector& m, FloatVector& v) HWY_ATTR {
    g = hn::Mul(g, gradient_scale);
    m = hn::MulAdd(beta1, m, hn::Mul(rest1, g));
    v = hn::MulAdd(beta2, v, hn::Mul(rest2, hn::Mul(g, g)));
    const auto size = hn::Add(hn::Sqrt(hn::Mul(v, scale2)), epsilon);
    p = hn::Sub(hn::Mul(p, keep), hn::Div(hn::Mul(rate, m), size));
  };
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    auto p = hn::LoadU(d, parameter + i), m = hn::LoadU(d, mean + i),
         v = hn::LoadU(d, variance + i);
    update(hn::LoadU(d, gradient + i), p, m, v);
    hn::StoreU(p, d, parameter + i);
    hn::StoreU(m, d, mean + i);
    hn::StoreU(v, d, variance + i);
  }
  if (const std::size_t rest = count - i; rest > 0) {
    auto p = load_part(d, parameter + i, rest), m = load_part(d, mean + i, rest),
         v = load_part(d, variance + i, rest);
    update(load_part(d, gradient + i, rest), p, m, v);
    store_part(p, d, parameter + i, rest);
    store_part(m, d, mean + i, rest);
    store_part(v, d, variance + i, rest);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <cmath>

#include "attend/backend/fast/fast_backend.h"
#include "attend/backend/fast/rows/runs.h"

namespace attend {

HWY_EXPORT(adam_run);

void FastBackend::adam(const AdamStep& step, const DeviceScalar& gradient_scale,
                       const Tensor& gradient, const Tensor& parameter, const Tensor& mean,
                       const Tensor& variance) {
  const auto correction = [&](float beta) {
    return static_cast<float>(
        1.0 / (1.0 - std::pow(static_cast<double>(beta), static_cast<double>(step.step))));
  };
  const auto kernel = HWY_DYNAMIC_DISPATCH(adam_run);
  const AdamRun run{step, static_cast<float>(value_of(gradient_scale)), correction(step.beta1),
                    correction(step.beta2)};
  for_runs({&gradient, &parameter, &mean, &variance}, [&](auto row, auto column, auto count) {
    kernel(run, gradient.row(row) + column, parameter.row(row) + column, mean.row(row) + column,
           variance.row(row) + column, count);
  });
}

}  // namespace attend
#endif
