#include "attend/train/replay_objective.h"

#include <algorithm>
#include <cmath>

namespace attend {

const ReplayObjective::Counts& ReplayObjective::counts() {
  if (!counts_) {
    Counts found{0, 0};
    if (weight_ != 0.0) {
      const double wanted = weight_ * static_cast<double>(new_->batches(0));
      found.of_epoch = std::max<std::int64_t>(1, std::llround(wanted));
      found.of_pass = old_->batches(0);
    }
    counts_ = found;
  }
  return *counts_;
}

ReplayObjective::Place ReplayObjective::place(std::int64_t epoch, std::int64_t batch) {
  const auto [olds, of_pass] = counts();
  const std::int64_t all = new_->batches(epoch) + olds;
  const std::int64_t before = batch * olds / all;  // old batches before this one
  if ((batch + 1) * olds / all == before) return {new_.get(), epoch, batch - before};
  const std::int64_t turn = epoch * olds + before, pass = turn / of_pass;
  // A pass with fewer batches than the first repeats some of them; one with more leaves some out.
  return {old_.get(), pass, turn % of_pass % old_->batches(pass)};
}

Validation ReplayObjective::validate() {
  Validation result = new_->validate();
  if (old_->can_validate()) add_old(old_->validate(), result);
  return result;
}

Validation ReplayObjective::validate_together(Collective& processes) {
  Validation result = new_->validate_together(processes);
  if (old_->can_validate()) add_old(old_->validate_together(processes), result);
  return result;
}

void ReplayObjective::add_old(const Validation& old, Validation& result) {
  result.metrics.emplace_back("old_nll", old.nll);
  for (const auto& [name, value] : old.metrics) result.metrics.emplace_back("old_" + name, value);
}

}  // namespace attend
