#include "attend/train/replay_objective.h"

#include <algorithm>
#include <cmath>

namespace attend {

std::int64_t ReplayObjective::old_batches(std::int64_t epoch) {
  if (weight_ == 0.0) return 0;
  const double wanted = weight_ * static_cast<double>(new_->batches(epoch));
  return std::max<std::int64_t>(1, std::llround(wanted));
}

ReplayObjective::Place ReplayObjective::place(std::int64_t epoch, std::int64_t batch) {
  const std::int64_t olds = old_batches(epoch), all = new_->batches(epoch) + olds;
  const std::int64_t before = batch * olds / all;  // old batches before this one
  if ((batch + 1) * olds / all == before) return {new_.get(), epoch, batch - before};
  const std::int64_t passes = 1 + (olds - 1) / old_->batches(0);
  Place at{old_.get(), epoch * passes, before};
  for (std::int64_t count = 0; at.batch >= (count = old_->batches(at.epoch)); ++at.epoch)
    at.batch -= count;
  return at;
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
