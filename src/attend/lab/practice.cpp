#include <algorithm>
#include <cmath>
#include <numeric>

#include "attend/error.h"
#include "attend/lab/exercise.h"
#include "attend/lab/stopwatch.h"
#include "attend/ops/losses/cross_entropy.h"
#include "attend/optim/adam.h"
#include "attend/optim/schedule.h"

namespace attend::lab {

double PracticeCurve::recent(std::size_t count) const {
  const std::size_t taken = std::min(count, losses.size());
  return std::accumulate(losses.end() - static_cast<std::ptrdiff_t>(taken), losses.end(), 0.0) /
         static_cast<double>(std::max<std::size_t>(taken, 1));
}

Series loss_series(const std::string& label, const PracticeCurve& curve) {
  Series series{label, {}};
  for (std::size_t step = 0; step < curve.losses.size(); step += 5)
    series.points.emplace_back(static_cast<double>(step + 1), curve.losses[step]);
  return series;
}

PracticeCurve practise(SequenceModel& model, const MakeExercise& make, const Practice& practice) {
  if (practice.steps <= 0 && practice.seconds <= 0)
    throw ConfigError("practise: expected a number of steps or of seconds, got neither");
  AdamOptions adam_options;
  adam_options.clip_norm = 1.0f;
  Adam adam(model.parameters(), adam_options);
  ScheduleOptions schedule_options;
  schedule_options.kind = ScheduleKind::constant;
  schedule_options.learning_rate = practice.learning_rate;
  schedule_options.warmup_steps = practice.warmup_steps;
  const auto schedule =
      make_schedule(schedule_options, 1, std::max<std::int64_t>(practice.steps, 1));

  Random random({practice.seed, stream_of("lab.practice")});
  PracticeCurve curve;
  const ProcessorStopwatch watch;
  for (std::int64_t step = 1; practice.steps == 0 || step <= practice.steps; ++step) {
    if (practice.seconds > 0 && watch.seconds() >= practice.seconds) break;
    const Exercise exercise = make(random);
    model.parameters().gradients().zero();
    Pass pass = Pass::training(practice.seed, static_cast<std::uint64_t>(step));
    const CrossEntropy loss = cross_entropy(model.logits(exercise, pass), exercise.targets);
    backward(loss.loss);
    adam.step(schedule->at(step));
    curve.losses.push_back(loss.loss_sum / static_cast<double>(exercise.targets->size()));
  }
  curve.seconds = watch.seconds();
  return curve;
}

}  // namespace attend::lab
