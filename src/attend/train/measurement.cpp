#include "attend/train/measurement.h"

#include <sys/resource.h>

#include "attend/tensor/allocator.h"

namespace attend {

namespace {

std::int64_t process_peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * 1024;
}

}  // namespace

TrainingMeasurement measure_training(Objective& objective, const TrainerOptions& options, std::int64_t steps) {
  TrainingRun nowhere{RunFolder(""), false, 1, {}, {}, nullptr, {}};
  TrainerOptions measured = options;
  measured.max_steps = std::max(options.max_steps, 2 * steps);
  Trainer trainer(objective, measured, nowhere);

  for (std::int64_t i = 0; i < steps; ++i) trainer.update();
  const std::int64_t calls_before = memory_statistics().system_calls;
  double seconds = 0, tokens = 0;
  for (std::int64_t i = 0; i < steps; ++i) {
    const StepEvent event = trainer.update();
    tokens += static_cast<double>(event.tokens);
    seconds += static_cast<double>(event.tokens) / event.tokens_per_second;
  }

  TrainingMeasurement result;
  result.parameters = objective.parameters().size();
  result.steps = steps;
  result.peak_bytes = memory_statistics().peak_bytes;
  result.process_bytes = process_peak_bytes();
  result.allocator_calls = memory_statistics().system_calls - calls_before;
  result.tokens_per_second = tokens / seconds;
  result.steps_per_epoch = static_cast<double>(objective.batches(0)) / options.accumulate;
  result.seconds_per_epoch = result.steps_per_epoch * seconds / static_cast<double>(steps);
  return result;
}

}  // namespace attend
