// What a training run will cost, measured by a few steps that leave nothing behind: `--dry-run`.
#pragma once

#include <cstdint>
#include <vector>

#include "attend/train/trainer.h"

namespace attend {

struct TrainingMeasurement {
  std::int64_t parameters = 0;  // trained numbers in the model
  std::int64_t steps = 0;  // that were timed, after as many that were not; the same again where a
                           // later phase costs more or less
  std::int64_t peak_bytes = 0;  // of tensors, at once
  std::int64_t process_bytes =
      0;  // the largest memory of the process so far, data and libraries included
  std::int64_t allocator_calls =
      0;  // calls to the system for memory during the timed steps; 0 is what they should need
  double steps_per_epoch = 0;
  struct Phase {
    std::int64_t begin = 0;        // its first epoch
    double tokens_per_second = 0;  // target tokens
    double seconds_per_epoch = 0;
  };
  std::vector<Phase> phases;  // of Objective::phases()

  // Of a run of so many steps.
  double seconds_for(std::int64_t all_steps) const;
};

// Trains `objective`, whose parameters change, for twice `steps` steps in every phase. Throws
// ConfigError.
TrainingMeasurement measure_training(Objective& objective, const TrainerOptions& options,
                                     std::int64_t steps);

}  // namespace attend
