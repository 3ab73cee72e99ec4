// What a training run will cost, measured by a few steps that leave nothing behind: `--dry-run`.
#pragma once

#include <cstdint>

#include "attend/train/trainer.h"

namespace attend {

struct TrainingMeasurement {
  std::int64_t parameters = 0;       // trained numbers in the model
  std::int64_t steps = 0;            // that were timed, after as many that were not
  std::int64_t peak_bytes = 0;       // of tensors, at once
  std::int64_t process_bytes = 0;    // the largest memory of the process so far, data and libraries included
  std::int64_t allocator_calls = 0;  // calls to the system for memory during the timed steps; 0 is what they should need
  double tokens_per_second = 0;      // target tokens
  double steps_per_epoch = 0;
  double seconds_per_epoch = 0;
};

// Trains `objective`, whose parameters change, for twice `steps` steps. Throws ConfigError.
TrainingMeasurement measure_training(Objective& objective, const TrainerOptions& options, std::int64_t steps);

}  // namespace attend
