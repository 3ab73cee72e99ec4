// Events of a training run. The trainer calls its listeners in order, on its own thread; values are
// valid only during the call. A listener that throws stops the run. The progress bar, log.jsonl and
// TensorBoard files are listeners; so is a test that collects losses.
//
// Order of calls: on_start; for every optimizer step on_step, then on_validation if the step is
// validated, then on_checkpoint if it is saved; on_end once, also after an interruption or
// divergence. A validation precedes the checkpoint of its step, so that a resumed run has seen it.
// (The checkpoint that protects a validation is not reported.)
//
// Steps count from 1: after step s, s updates have been made. Fields marked (clock) depend on time;
// all others are a function of data, options and seed, and bit-identical in a resumed run.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "attend/train/measured.h"
#include "attend/training.h"

namespace attend {

// Bytes of tensors that a process keeps from step to step.
struct ProcessMemory {
  std::int64_t parameters = 0;  // with their gradients and their moving average
  std::int64_t optimizer = 0;   // its state
};

struct TrainingStart {
  // Updates made by the checkpoint that is resumed; 0 for a new run.
  std::int64_t resumed_step = 0;
  std::int64_t total_steps = 0;  // planned last step; 0 if unknown
  std::int64_t parameters = 0;   // number of trained values in the model
  std::uint64_t seed = 0;
  std::string resumed_from;      // path of the checkpoint; empty for a new run
  bool validates_again = false;  // the checkpoint lacks the validation of its step, which is
                                 // repeated before the next step
  std::string unit = "tokens";   // of the targets, for display
  std::vector<ProcessMemory> processes = {};  // that train together, by rank
};

// Reading a loss or norm that is not finite throws DivergedError.
struct StepEvent {
  std::int64_t step = 0;
  std::int64_t epoch = 0;  // the epoch that the last batch of this step came from, from 1
  Measured loss;           // the optimized loss per target token (label smoothing included)
  Measured nll;  // negative log-likelihood per target token, natural logarithm, no smoothing
  double learning_rate = 0;      // used by this step
  Measured gradient_norm;        // before clipping
  std::int64_t tokens = 0;       // target tokens in this step's batches
  double tokens_per_second = 0;  // (clock) target tokens over the time of this step alone
  double seconds = 0;            // (clock) that the run has taken, before a resumption, too
  // Source tokens in this step's batches; 0 for models without a source.
  std::int64_t source_tokens = 0;
};

using ValidationEvent = ValidationReport;  // as users see it

struct CheckpointEvent {
  std::int64_t step = 0;
  std::string path;
  bool best = false;
};

// "finished", "stopped early", "interrupted", "diverged", "failed".
const char* name_of(TrainingEnd reason);

struct EndEvent {
  std::int64_t step = 0;
  TrainingEnd reason = TrainingEnd::finished;
  double seconds = 0;               // (clock) that the run has taken, before a resumption, too
  std::int64_t resumable_step = 0;  // of the newest checkpoint; 0: none
};

// exp(nll).
double perplexity(double nll);

class TrainingListener {
 public:
  virtual ~TrainingListener() = default;
  virtual void on_start(const TrainingStart&) {}
  virtual void on_step(const StepEvent&) {}
  virtual void on_validation(const ValidationEvent&) {}
  virtual void on_checkpoint(const CheckpointEvent&) {}
  virtual void on_end(const EndEvent&) {}
};

}  // namespace attend
