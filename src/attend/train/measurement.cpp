#include "attend/train/measurement.h"

#include <sys/resource.h>

#include <algorithm>

#include "attend/tensor/allocator.h"

namespace attend {

namespace {

std::int64_t process_peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * 1024;
}

}  // namespace

TrainingMeasurement measure_training(Objective& objective, const TrainerOptions& options,
                                     std::int64_t steps) {
  TrainingRun nowhere{RunFolder(""), false, 1, {}, {}, nullptr, {}};
  TrainerOptions measured = options;
  measured.max_steps = std::max(options.max_steps, 2 * steps * std::ssize(objective.phases()));
  Trainer trainer(objective, measured, nowhere);

  TrainingMeasurement result;
  result.steps_per_epoch = static_cast<double>(objective.batches(0)) / options.accumulate;
  for (const std::int64_t epoch : objective.phases()) {
    trainer.skip_to(epoch);
    for (std::int64_t i = 0; i < steps; ++i) trainer.update();
    const std::int64_t calls_before = memory_statistics().system_calls;
    double seconds = 0, tokens = 0;
    for (std::int64_t i = 0; i < steps; ++i) {
      const StepEvent event = trainer.update();
      tokens += static_cast<double>(event.tokens);
      seconds += static_cast<double>(event.tokens) / event.tokens_per_second;
    }
    result.allocator_calls += memory_statistics().system_calls - calls_before;
    result.phases.push_back(
        {epoch, tokens / seconds, result.steps_per_epoch * seconds / static_cast<double>(steps)});
  }
  result.parameters = objective.parameters().size();
  result.steps = steps;
  result.peak_bytes = memory_statistics().peak_bytes;
  result.process_bytes = process_peak_bytes();
  return result;
}

double TrainingMeasurement::seconds_for(std::int64_t all_steps) const {
  const double epochs = static_cast<double>(all_steps) / steps_per_epoch;
  double seconds = 0;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const auto begin = static_cast<double>(phases[i].begin);
    const double end =
        i + 1 < phases.size() ? std::min(epochs, static_cast<double>(phases[i + 1].begin)) : epochs;
    seconds += phases[i].seconds_per_epoch * std::max(0.0, end - begin);
  }
  return seconds;
}

}  // namespace attend
