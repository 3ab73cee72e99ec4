// The training loop: batches -> loss -> gradients -> optimizer, with validation, checkpoints and
// exact resumption.
//
// A run is a function of (data, options, seed): stopping after any step and resuming from its
// checkpoint gives bit-identical parameters, with any number of threads and processes.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attend/backend/precision.h"
#include "attend/checkpoint/run_folder.h"
#include "attend/collective/collective.h"
#include "attend/core/options/option_error.h"
#include "attend/core/options/options.h"
#include "attend/nn/low_rank.h"
#include "attend/optim/moving_average.h"
#include "attend/optim/optimizer_choice.h"
#include "attend/optim/schedule.h"
#include "attend/train/divergence.h"
#include "attend/train/listener.h"
#include "attend/train/objective.h"
#include "attend/train/optimizer_state.h"
#include "attend/train/step_gradient.h"

namespace attend {

struct TrainerOptions {
  std::int64_t max_steps = 100000;
  std::int64_t max_epochs = 0;
  int accumulate = 1;
  int shards = 1;  // train/step_gradient.h
  Wire wire = Wire::f32;
  bool shard_optimizer = false;
  std::int64_t valid_every = 500;
  std::int64_t save_every = 500;
  int keep_checkpoints = 10;
  int patience = 0;
  int average_last = 0;
  float ema_decay = 0.0f;  // the average is validated and saved as the model
  std::uint64_t seed = 1;
  // GEMM precision, including the optimizer's; validation is in f32.
  Precision precision = Precision::f32;
  bool recompute = false;
  std::vector<std::string> freeze = {};
  LowRankOptions low_rank;
  OptimizerOptions optimizer;
  ScheduleOptions schedule;
};

template <class Visitor>
void fields(TrainerOptions& o, Visitor&& visit) {
  visit("max-steps", o.max_steps, between(1, 1e12), "maximum number of training steps");
  visit("max-epochs", o.max_epochs, between(0, 1e12), "maximum number of epochs; 0: no limit");
  visit("accumulate", o.accumulate, between(1, 1e6),
        "batches whose gradients are summed for one step");
  visit("shards", o.shards, between(1, 1024),
        "parts of a step, of --accumulate batches each, divided among the processes of mpirun; "
        "their number does not change the result");
  visit("wire", o.wire,
        "type in which the processes of mpirun send gradients: f32, or bf16 (half the traffic; "
        "gradients are rounded before every sum)");
  visit("shard-optimizer", o.shard_optimizer,
        "each process of mpirun keeps only its part of the optimizer's state (ZeRO-1): less "
        "memory, 1.5 times the traffic, the same result");
  visit("valid-every", o.valid_every, between(0, 1e12),
        "steps between validations; 0: only at the end");
  visit("save-every", o.save_every, between(0, 1e12),
        "steps between checkpoints; 0: only at the end");
  visit("keep-checkpoints", o.keep_checkpoints, between(0, 1e6),
        "newest checkpoints to keep; 0: all");
  visit("patience", o.patience, between(0, 1e9),
        "validations without improvement before training stops; 0: never stop early");
  visit("average-last", o.average_last, between(0, 1e6),
        "last checkpoints to average at the end; the average is kept if better; 0: none");
  visit("ema-decay", o.ema_decay, below_one(),
        "decay of an exponential moving average of the parameters; 0: none");
  visit("seed", o.seed, any_seed(), "random seed of the run");
  visit("precision", o.precision,
        "precision of matrix products in training: f32, or bf16 (faster on CPUs with bf16 "
        "instructions)");
  visit("recompute", o.recompute,
        "recompute the activations of every layer in the backward pass: less memory, more time, "
        "the same result");
  visit("freeze", o.freeze,
        "parameters that training does not change: patterns of names, such as embedding.* or "
        "encoder.layers.[0-3].*");
  fields(o.low_rank, visit);
  fields(o.optimizer, visit);
  fields(o.schedule, visit);
}

// Takes the parameters that options.freeze names out of training. Throws ConfigError for a pattern
// that fits none, or one that ParameterSet::freeze() refuses.
void freeze_parameters(ParameterSet& parameters, const TrainerOptions& options);

// Checks options against each other, for a model of this width. Throws ConfigError.
void validate(const TrainerOptions& options, int d_model);

// Batches of a step.
inline std::int64_t batches_per_step(const TrainerOptions& o) {
  return std::int64_t{o.accumulate} * o.shards;
}

// The number of steps: max-steps, or fewer if the epochs end earlier. All epochs are assumed to be
// as long as the first, so the actual last step may come slightly later.
std::int64_t planned_steps(Objective& objective, const TrainerOptions& options);

// The optimizer of one of the processes, all of which call it at once. Throws ConfigError if they
// have other options for their messages.
std::unique_ptr<Optimizer> make_shared_optimizer(ParameterSet& parameters,
                                                 const TrainerOptions& options,
                                                 Collective& processes);

// The context of a run besides its objective and options.
struct TrainingRun {
  RunFolder folder;
  bool resume = false;
  int d_model = 0;                                  // for the noam schedule
  std::function<void(Checkpoint&)> describe_model;  // adds configuration and tokenizer, so that
                                                    // every checkpoint is a usable model
  std::vector<TrainingListener*> listeners;
  // Set from outside (a signal): save a checkpoint after this step, then return.
  const std::atomic<bool>* stop = nullptr;
  std::function<void(const std::string&)> warn;  // reports checkpoints skipped when resuming
  // The seconds that the run had taken up to a step, which a resumed run counts on from.
  std::function<double(std::int64_t step)> seconds_before = {};
  // Adds golden samples, for RUN/model.safetensors only. The network has the saved parameters.
  std::function<void(Checkpoint&)> add_samples = {};
  // Train together, each with an objective of the same parameters and data. The first validates,
  // has the listeners and writes the folder, which the others only read, when resuming.
  std::shared_ptr<Collective> processes = std::make_shared<SingleProcess>();
};

class Trainer {
 public:
  // Throws ConfigError. `objective` must outlive the trainer.
  Trainer(Objective& objective, TrainerOptions options, TrainingRun run);

  // Trains until the last step, early stopping, or the stop flag. Leaves the best model (without
  // validation, the newest) at RUN/model.safetensors. No other run may be active in the folder
  // (RunLock). A checkpoint precedes every validation: if the validation fails or the process ends
  // in it, a resumed run repeats it. Throws DivergedError if a loss is not finite or too
  // high (see divergence.h), at the latest before the next checkpoint. Checkpoints remain; one
  // whose next step would diverge again is set aside.
  TrainingEnd train();

  // One step without listeners, validation or files, for measurement. The event's values are
  // readable while the trainer lives.
  StepEvent update();

  // Makes this epoch's first step the next one, for measurement.
  void skip_to(std::int64_t epoch);

  std::int64_t step() const { return step_; }

 private:
  TrainingEnd loop();
  TrainingEnd steps();
  void watch(bool is_new);
  bool settle();
  void secure();
  void validate();
  void validate_average();
  Validation validation_of(const Tensor& values, Collective& processes);
  bool accept(const Validation& result, int averaged);
  Checkpoint checkpoint() const;
  void save();
  void write_checkpoint();
  // `validation`: of these values; null: none. `averaged`: checkpoints that they are the mean of.
  void save_model(const Tensor& values, const Validation* validation, int averaged = 0) const;
  void add_samples(Checkpoint& model, const Tensor& values) const;
  void restore();
  void restore_position(const StateReader& state, const std::string& source);
  bool finished() const;
  bool due(std::int64_t every) const;
  bool is_to_be_kept() const;  // validated or saved
  bool is_first() const { return run_.processes->is_first(); }
  void agree_on_stop();
  void require_equal_start() const;
  std::vector<ProcessMemory> memory_of_processes() const;
  bool validation_is_due() const;
  std::int64_t newest_checkpoint() const;
  // What is validated and saved: the parameters, or their moving average.
  const Tensor& model_values() const;
  [[noreturn]] void diverged(const char* what) const;
  OptionText set_aside_what_diverges() const;
  double seconds() const;
  // From 1; 0 before the first step.
  std::int64_t epoch_of_last_batch() const { return batch_ == 0 ? epoch_ : epoch_ + 1; }

  Objective& objective_;
  TrainerOptions options_;
  TrainingRun run_;
  std::unique_ptr<Optimizer> optimizer_;
  OptimizerState optimizer_state_;
  std::unique_ptr<MovingAverage> average_;
  std::unique_ptr<Schedule> schedule_;
  StepGradient gradient_;
  bool stops_ = false;  // as all processes know

  // The position, part of every checkpoint.
  std::int64_t step_ = 0;
  std::int64_t epoch_ = 0;
  std::int64_t batch_ = 0;       // next batch of the epoch
  std::int64_t micro_step_ = 0;  // batches seen: the stream of dropout
  double best_score_ = 0;
  std::int64_t validations_ = 0;
  std::int64_t without_improvement_ = 0;
  std::int64_t validated_step_ = -1;
  DivergenceWatch watch_;

  // The measurements of a step, finite or not.
  struct Measures {
    Measured loss, nll, gradient_norm;
    bool leads_on(const DivergenceWatch& watch) const;
  };
  Measures last_;
  std::optional<Measures> after_saved_;  // of the step after the newest checkpoint

  // What is on disk.
  std::int64_t saved_step_ = -1;
  std::int64_t saved_validations_ = 0;
  // Has a checkpoint only for its validation; removed when that succeeds.
  std::int64_t secured_step_ = 0;
  // Has a checkpoint only because the run was stopped; removed when the next is saved.
  std::int64_t stopped_step_ = 0;

  std::int64_t started_ = 0;   // steady clock, nanoseconds
  double seconds_before_ = 0;  // that the run took up to its resumption
};

}  // namespace attend
