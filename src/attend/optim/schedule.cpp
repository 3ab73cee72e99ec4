#include "attend/optim/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "attend/core/options/option_error.h"
#include "attend/core/options/option_fields.h"
#include "attend/error.h"

namespace attend {

namespace {

// Increases linearly to `peak` at `warmup`, then follows peak * decay(step).
class WarmupThen final : public Schedule {
 public:
  WarmupThen(double peak, int warmup, std::function<double(double step)> decay)
      : peak_(peak), warmup_(warmup), decay_(std::move(decay)) {}

  float at(std::int64_t step) const override {
    const auto s = static_cast<double>(step);
    return static_cast<float>(step <= warmup_ ? peak_ * s / warmup_ : peak_ * decay_(s));
  }

 private:
  double peak_;
  int warmup_;
  std::function<double(double)> decay_;
};

}  // namespace

std::unique_ptr<Schedule> make_schedule(const ScheduleOptions& o, int d_model,
                                        std::int64_t total_steps) {
  check_options(o);
  if (o.min_learning_rate > o.learning_rate)
    throw OptionError<ConfigError>("{}: expected a number from 0 to {} {}, got {}",
                                   as_key("min-learning-rate"), as_key("learning-rate"),
                                   o.learning_rate, o.min_learning_rate);
  if (o.kind == ScheduleKind::noam && d_model < 1)
    throw OptionError<ConfigError>("schedule noam: expected a {} of at least 1, got {}",
                                   as_key("d-model"), d_model);
  const double warmup = std::max(1, o.warmup_steps);
  const double peak = o.learning_rate;
  const double floor = o.min_learning_rate / peak;
  // From 0 at the end of warmup to 1 at the last step.
  const auto progress = [warmup, total = static_cast<double>(total_steps)](double step) {
    return std::clamp((step - warmup) / std::max(1.0, total - warmup), 0.0, 1.0);
  };
  const auto root = [warmup](double step) { return std::sqrt(warmup / step); };
  switch (o.kind) {
    case ScheduleKind::inverse_sqrt:
      return std::make_unique<WarmupThen>(peak, o.warmup_steps, root);
    case ScheduleKind::noam:
      return std::make_unique<WarmupThen>(peak / std::sqrt(d_model * warmup), o.warmup_steps, root);
    case ScheduleKind::linear:
      return std::make_unique<WarmupThen>(
          peak, o.warmup_steps, [=](double step) { return 1.0 + (floor - 1.0) * progress(step); });
    case ScheduleKind::cosine:
      return std::make_unique<WarmupThen>(peak, o.warmup_steps, [=](double step) {
        return floor + (1.0 - floor) * 0.5 * (1.0 + std::cos(std::numbers::pi * progress(step)));
      });
    case ScheduleKind::constant:
      break;
  }
  return std::make_unique<WarmupThen>(peak, o.warmup_steps, [](double) { return 1.0; });
}

}  // namespace attend
