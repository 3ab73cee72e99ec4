// The learning rate as a function of the step.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "attend/core/options/options.h"

namespace attend {

// noam: the paper's schedule, with learning-rate as a factor; inverse_sqrt: the same curve given by
// its peak; linear and cosine: decay to min-learning-rate at the last step.
enum class ScheduleKind { inverse_sqrt, noam, linear, cosine, constant };
inline std::span<const std::string_view> enum_names(ScheduleKind) {
  static constexpr std::array<std::string_view, 5> kNames{"inverse_sqrt", "noam", "linear",
                                                          "cosine", "constant"};
  return kNames;
}

struct ScheduleOptions {
  ScheduleKind kind = ScheduleKind::inverse_sqrt;
  float learning_rate = 7e-4f;
  int warmup_steps = 4000;
  float min_learning_rate = 0.0f;
};

template <class Visitor>
void fields(ScheduleOptions& o, Visitor&& visit) {
  visit("schedule", o.kind, "learning-rate schedule: inverse_sqrt, noam, linear, cosine, constant");
  visit("learning-rate", o.learning_rate, above(0, 1e30), "peak learning rate; for noam: a factor");
  visit("warmup-steps", o.warmup_steps, between(0, 1e9),
        "steps of linear warm-up of the learning rate from 0");
  visit("min-learning-rate", o.min_learning_rate, between(0, 1e30),
        "final learning rate of the linear and cosine schedules");
}

class Schedule {
 public:
  virtual ~Schedule() = default;
  // The learning rate of a step, from 1.
  virtual float at(std::int64_t step) const = 0;
};

// d_model matters only for noam: factor * d_model^-0.5 * min(step^-0.5, step * warmup^-1.5)
// (Vaswani et al. 2017, equation 3). total_steps matters only for linear and cosine. Throws
// ConfigError.
std::unique_ptr<Schedule> make_schedule(const ScheduleOptions& options, int d_model,
                                        std::int64_t total_steps);

}  // namespace attend
