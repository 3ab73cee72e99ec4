// Detects divergence of a training whose loss is still finite.
//
// The rule must not stop a run that could recover, so it compares with guessing. A model that
// guesses among V classes has a negative log-likelihood of ln V nats per target: 16 for a
// vocabulary of ten million. An untrained model is near that or, badly initialized, at the loss of
// the first step. A training has diverged when its negative log-likelihood is
//
//   more than 100 nats and more than ten times the first step, once, or
//   more than 20 nats and more than twice the first step, at every look during 200 steps.
//
// Spikes of healthy runs are below the first bound and shorter than the second. A run that stays
// far above guessing has parameters too large for any learning rate to repair.
//
// A squared error counts in units of the largest square of a target (Objective::largest_error()):
// a prediction within the range of the targets is at most 4 of them off.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace attend {

class DivergenceWatch {
 public:
  // Steps between two looks: reading a loss can mean waiting for the device.
  static constexpr std::int64_t kSteps = 10;
  static constexpr std::int64_t kLooks = 20;

  // The state in a checkpoint. `first`: the first step's value; NaN: not seen yet.
  struct State {
    double first = std::numeric_limits<double>::quiet_NaN();
    std::int64_t looks_above = 0;  // consecutive looks above the bound, up to the latest
  };

  // Looks are at the same steps in a resumed run: the first, then every tenth.
  static bool is_due(std::int64_t step) { return step == 1 || step % kSteps == 0; }

  // `nll`: nats per target. Returns whether the run has diverged. The first look sets the
  // reference.
  bool look(double nll);
  // An extra look that does not count.
  bool is_hopeless(double nll) const { return !(nll <= bound(100, 10)); }

  double first() const { return state_.first; }
  const State& state() const { return state_; }
  void restore(const State& state) { state_ = state; }

 private:
  double bound(double nats, double times) const {
    return std::isnan(state_.first) ? std::numeric_limits<double>::max()
                                    : std::fmax(nats, times * state_.first);
  }

  State state_;
};

}  // namespace attend
