#include "attend/train/measurement.h"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>

#include "attend/tensor/allocator.h"

namespace attend {

namespace {

std::int64_t process_peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * 1024;
}

TrainingRun nowhere() { return {RunFolder(""), false, 1, {}, {}, nullptr, {}}; }

// Targets of a batch of the first epoch, from some of them.
double mean_batch(Objective& objective) {
  constexpr std::int64_t kEnough = 100;
  const std::int64_t count = std::min(objective.batches(0), kEnough);
  std::int64_t tokens = 0;
  for (std::int64_t i = 0; i < count; ++i) tokens += objective.size(0, i).targets;
  return static_cast<double>(tokens) / static_cast<double>(count);
}

struct Timing {
  double seconds = 0, tokens = 0;
};

Timing timed_steps(Trainer& trainer, std::int64_t steps) {
  Timing timing;
  for (std::int64_t i = 0; i < steps; ++i) {
    const StepEvent event = trainer.update();
    timing.tokens += static_cast<double>(event.tokens);
    timing.seconds += static_cast<double>(event.tokens) / event.tokens_per_second;
  }
  return timing;
}

// What is timed of a run.
struct Sample {
  std::int64_t steps = 0;
  std::int64_t warm_up = 0;       // steps before those
  std::int64_t batch_tokens = 0;  // 0: batches as they are, batches_per_step() to a step; else one
};

TrainerOptions options_for(const TrainerOptions& options, const Sample& sample,
                           Objective& objective) {
  TrainerOptions measured = options;
  if (sample.batch_tokens > 0) measured.accumulate = measured.shards = 1;
  measured.max_steps =
      std::max(options.max_steps, (sample.warm_up + sample.steps) * std::ssize(objective.phases()));
  return measured;
}

// The cost of a token, measured on two small batches; in a large batch it is lower.
struct Cost {
  double seconds_per_token = 0;
  double bytes_per_token = 0;
  double tokens = 0;            // of the larger of the two,
  std::int64_t peak_bytes = 0;  // and the memory that it took
};

constexpr std::int64_t kSmallBatch = 256;

Cost cost_of(Objective& objective, const TrainerOptions& options, const MeasurementLimits& limits) {
  const Sample small{.steps = 3, .batch_tokens = kSmallBatch};
  Trainer trainer(objective, options_for(options, small, objective), nowhere());
  const auto of_batch = [&](std::int64_t batch_tokens) {
    objective.limit_batches(batch_tokens);
    trainer.skip_to(objective.phases().back());
    return timed_steps(trainer, 1);
  };
  reset_peak_memory();
  const Timing first = of_batch(kSmallBatch / 4);
  const std::int64_t first_peak = memory_statistics().peak_bytes;
  Timing second = of_batch(kSmallBatch);
  Cost cost{.tokens = second.tokens, .peak_bytes = memory_statistics().peak_bytes};
  if (second.tokens > first.tokens)
    cost.bytes_per_token =
        static_cast<double>(cost.peak_bytes - first_peak) / (second.tokens - first.tokens);
  if (second.seconds < limits.seconds / 8) second = of_batch(kSmallBatch);  // the first was slow
  cost.seconds_per_token = second.seconds / second.tokens;
  objective.limit_batches(0);
  return cost;
}

// The steps of the run, where there is time for some.
Sample sample_for(Objective& objective, const MeasurementLimits& limits, const Cost& cost,
                  double tokens_of_step, double tokens_of_batch) {
  const auto phases = static_cast<double>(objective.phases().size());
  const double tokens = 0.5 * limits.seconds / phases / cost.seconds_per_token;  // in each phase
  const std::int64_t steps =
      std::min(static_cast<std::int64_t>(tokens / tokens_of_step), limits.steps);
  if (steps >= 1) return {.steps = steps, .warm_up = steps};
  const double smaller = std::min(std::max(tokens, double{kSmallBatch}), tokens_of_batch);
  return {.steps = 1, .batch_tokens = std::max<std::int64_t>(1, std::llround(smaller))};
}

// Times the sample in every phase, with a trainer that is gone afterwards.
void time_phases(Objective& objective, const TrainerOptions& options, const Sample& sample,
                 TrainingMeasurement& result) {
  Trainer trainer(objective, options, nowhere());
  for (const std::int64_t epoch : objective.phases()) {
    trainer.skip_to(epoch);
    for (std::int64_t i = 0; i < sample.warm_up; ++i) trainer.update();
    const std::int64_t calls_before = memory_statistics().system_calls;
    const Timing timing = timed_steps(trainer, sample.steps);
    result.allocator_calls += memory_statistics().system_calls - calls_before;
    result.phases.push_back({epoch, timing.tokens / timing.seconds, 0});
  }
}

// The difference that recomputed activations make to the peak of a step on one batch, per target.
double saved_per_token(Objective& objective, TrainerOptions options) {
  options.accumulate = options.shards = 1;
  double tokens = 1;
  const auto peak = [&](bool recompute) {
    options.recompute = recompute;
    Trainer trainer(objective, options, nowhere());
    trainer.skip_to(objective.phases().back());
    reset_peak_memory();
    tokens = static_cast<double>(trainer.update().tokens);
    return memory_statistics().peak_bytes;
  };
  return static_cast<double>(peak(false) - peak(true)) / tokens;
}

}  // namespace

TrainingMeasurement measure_training(Objective& objective, const TrainerOptions& options,
                                     const MeasurementLimits& limits) {
  TrainingMeasurement result;
  result.parameters = objective.parameters().size();
  result.steps_per_epoch =
      static_cast<double>(objective.batches(0)) / static_cast<double>(batches_per_step(options));
  const double tokens_of_batch = mean_batch(objective);
  const double tokens_of_step = tokens_of_batch * static_cast<double>(batches_per_step(options));
  const Cost cost = cost_of(objective, options, limits);
  const Sample sample = sample_for(objective, limits, cost, tokens_of_step, tokens_of_batch);
  result.steps = sample.steps;
  result.batch_tokens = sample.batch_tokens;

  objective.limit_batches(sample.batch_tokens);
  time_phases(objective, options_for(options, sample, objective), sample, result);
  for (TrainingMeasurement::Phase& phase : result.phases)
    phase.seconds_per_epoch = result.steps_per_epoch * tokens_of_step / phase.tokens_per_second;
  result.peak_bytes = memory_statistics().peak_bytes;
  result.process_bytes = process_peak_bytes();
  const bool recomputes = options.recompute || !limits.savings;
  const double saved = recomputes ? 0 : saved_per_token(objective, options) * tokens_of_batch;
  objective.limit_batches(0);

  result.saved_by_recompute = std::max<std::int64_t>(0, std::llround(saved));
  const std::int64_t trained = objective.parameters().trained_size();
  if (options.optimizer.kind == OptimizerKind::adam)
    result.saved_by_8_bits =
        2 * static_cast<std::int64_t>(sizeof(float)) * trained - Adam8Bit::state_bytes(trained);
  result.saved_by_half_batches =
      std::max<std::int64_t>(0, std::llround(cost.bytes_per_token * tokens_of_batch / 2));
  if (sample.batch_tokens > 0) {
    const auto more = static_cast<std::int64_t>(cost.bytes_per_token *
                                                std::max(0.0, tokens_of_batch - cost.tokens));
    const std::int64_t estimate = std::max(result.peak_bytes, cost.peak_bytes + more);
    result.process_bytes += estimate - result.peak_bytes;
    result.peak_bytes = estimate;
  }
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
