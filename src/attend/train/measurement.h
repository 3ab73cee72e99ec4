// Measures the cost of a training run by a few steps that leave nothing behind: `--dry-run`.
#pragma once

#include <cstdint>
#include <vector>

#include "attend/train/trainer.h"

namespace attend {

struct TrainingMeasurement {
  std::int64_t parameters = 0;  // number of trained values in the model
  std::int64_t steps = 0;       // timed steps, after as many untimed ones, in each phase
  // Tokens per batch, if the run's own batches would take too long; speed and memory are then
  // estimates. 0: the run's batches were timed.
  std::int64_t batch_tokens = 0;
  std::int64_t peak_bytes = 0;  // of tensors, peak
  // What other options would save of the peak: recomputed activations, moments in 8 bits (0 if the
  // run has them, or another optimizer than Adam), and batches of half the tokens. Estimates from
  // steps on small batches, and from the number of trained parameters.
  std::int64_t saved_by_recompute = 0, saved_by_8_bits = 0, saved_by_half_batches = 0;
  // Peak memory of the process so far, including data and libraries.
  std::int64_t process_bytes = 0;
  // Memory requests to the system during the timed steps; should be 0.
  std::int64_t allocator_calls = 0;
  double steps_per_epoch = 0;
  struct Phase {
    std::int64_t begin = 0;        // its first epoch
    double tokens_per_second = 0;  // target tokens
    double seconds_per_epoch = 0;
  };
  std::vector<Phase> phases;  // of Objective::phases()

  // For a run of this many steps.
  double seconds_for(std::int64_t all_steps) const;
};

struct MeasurementLimits {
  std::int64_t steps = 10;  // timed in every phase, and as many before them
  double seconds = 8;       // approximate total: fewer and smaller steps if needed
  bool savings = true;      // also measure what other options would save: more steps
};

// Trains `objective`, whose parameters change. Throws ConfigError.
TrainingMeasurement measure_training(Objective& objective, const TrainerOptions& options,
                                     const MeasurementLimits& limits = {});

}  // namespace attend
