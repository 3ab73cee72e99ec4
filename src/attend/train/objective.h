// The interface between the trainer and a task: parameters, and a loss on numbered batches.
// Translation, classification and language modeling are objectives.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attend/autograd/variable.h"
#include "attend/collective/collective.h"
#include "attend/nn/parameters/parameters.h"
#include "attend/nn/pass.h"

namespace attend {

struct BatchLoss {
  Variable loss;  // [1]: loss_sum / normalizer
  DeviceScalar loss_sum;
  DeviceScalar nll_sum;
};

struct BatchSize {
  std::int64_t targets = 0;  // predicted tokens (or labels), the divisor of losses
  std::int64_t sources = 0;  // source tokens; 0 without a source
};

// Quality of the current parameters on held-out data.
struct Validation {
  double loss = 0;                                      // per target
  double nll = 0;                                       // per target, without smoothing
  std::vector<std::pair<std::string, double>> metrics;  // {"bleu", 41.2}
  double score = 0;                                     // higher is better; decides `best`

  // The score becomes the metric of that name, the negative of the loss for "loss", or else the
  // first metric.
  void score_by(std::string_view name);
};

class Objective {
 public:
  virtual ~Objective() = default;
  virtual ParameterSet& parameters() = 0;

  // Batches of an epoch and their sizes: functions of the seed and the epoch.
  virtual std::int64_t batches(std::int64_t epoch) = 0;
  virtual BatchSize size(std::int64_t epoch, std::int64_t batch) = 0;
  // Limits later batches to this many tokens where possible; 0: the original limit. For
  // measurement.
  virtual void limit_batches(std::int64_t /*tokens*/) {}
  // Epochs at which the cost of a step changes; the first is 0.
  virtual std::vector<std::int64_t> phases() const { return {0}; }
  // What the divergence rule (divergence.h) divides `nll` by: 1 for a likelihood, in nats. For
  // squared errors, which have any unit, the largest square of a target, at least 1.
  virtual double largest_error() const { return 1; }
  // The kind of targets, for display: "tokens", "texts".
  virtual std::string unit() const { return "tokens"; }
  virtual BatchLoss loss(std::int64_t epoch, std::int64_t batch, double normalizer, Pass& pass) = 0;

  // An objective that can validate has one of the two functions below, or both.
  virtual bool can_validate() const = 0;
  // Calls validate_together() of a single process, unless it is overridden.
  virtual Validation validate();
  // The validation of several processes with equal parameters, all of which call it. The first gets
  // what validate() returns, bit for bit, the others its loss, nll and score at least. By default
  // the first validates; most objectives share the work out. Instead of throwing
  // NotFiniteError, it returns the loss NaN.
  virtual Validation validate_together(Collective& processes);
};

}  // namespace attend
