// What a training run tells the world. The trainer calls its listeners in order, on its own thread,
// and owns none of the values longer than the call; a listener that throws stops the run. A
// progress bar, log.jsonl and TensorBoard files are listeners; so is a test that collects losses.
//
// Order of calls: on_start; then, for every optimizer step, on_step, then on_validation if that
// step is validated, then on_checkpoint if it is saved; on_end once, also when the run was
// interrupted or diverged. A validation comes before the checkpoint of its step, so that whatever
// resumes from that checkpoint has seen it. (What the trainer writes before a validation, lest it
// fail, is not reported.)
//
// Steps count from 1: after step s, s updates have been made. Fields marked (clock) depend on the
// machine and the moment; all others are a function of the data, the options and the seed, and
// equal bit for bit in a resumed run.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "attend/train/measured.h"
#include "attend/training.h"

namespace attend {

struct TrainingStart {
  std::int64_t resumed_step =
      0;  // updates already made by the checkpoint this run continues; 0 for a new run
  std::int64_t total_steps = 0;  // the step at which training is planned to end; 0 when unknown
  std::int64_t parameters = 0;   // trained numbers in the model
  std::uint64_t seed = 0;
  std::string resumed_from;      // the checkpoint's path; empty for a new run
  bool validates_again = false;  // the checkpoint does not know of its step's validation, which is
                                 // made (again) before the next step
  std::string unit = "tokens";   // of the targets, for people
};

// The first look at a loss or a norm that is no finite number throws DivergedError.
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
  std::int64_t source_tokens =
      0;  // source tokens in this step's batches; 0 for models without a source
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
  std::int64_t resumable_step = 0;  // of the newest checkpoint; 0: there is none
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
