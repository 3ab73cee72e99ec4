#include "attend/train/step_gradient.h"

#include <fmt/format.h>

#include <bit>
#include <numeric>
#include <utility>

#include "attend/error.h"

namespace attend {

namespace {

// In batch order.
double total(const std::vector<DeviceScalar>& sums) {
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

}  // namespace

void require_shareable(int shards, const Collective& processes) {
  if (shards < 1 || !std::has_single_bit(static_cast<unsigned>(shards)))
    throw ConfigError(fmt::format("shards: expected 1, 2, 4, 8, ..., got {}", shards));
  const int size = processes.size();
  if (!std::has_single_bit(static_cast<unsigned>(size)))
    throw ConfigError(
        fmt::format("shards: expected 1, 2, 4, 8, ... processes to share them out, got {}", size));
  if (shards % size != 0)
    throw ConfigError(
        fmt::format("shards: expected a multiple of {}, the number of processes, got {}; with "
                    "--shards {} a step has {} times as many batches",
                    size, shards, size, size / shards));
}

StepGradient::StepGradient(Objective& objective, const StepSharing& sharing, Collective& processes,
                           MakePass make_pass)
    : objective_(objective),
      sharing_(sharing),
      processes_(processes),
      make_pass_(std::move(make_pass)) {
  require_shareable(sharing.shards, processes);
}

StepGradient::Losses StepGradient::compute(std::span<const StepBatch> batches, double normalizer) {
  Step step{batches, normalizer};
  const int own = sharing_.shards / processes_.size(), first = processes_.rank() * own;
  sum_shards(step, first, first + own);
  if (sharing_.shards > 1)
    sum_over_processes(processes_, objective_.parameters().gradients(), sharing_.wire);
  return losses_of(step);
}

void StepGradient::sum_shards(Step& step, int begin, int end) {
  if (end - begin == 1) return compute_shard(step, begin);
  const int middle = begin + (end - begin) / 2;
  const Tensor& gradients = objective_.parameters().gradients();
  sum_shards(step, begin, middle);
  const Tensor lower = gradients.clone();
  sum_shards(step, middle, end);
  add_branch(lower, gradients, sharing_.wire);
}

void StepGradient::compute_shard(Step& step, int shard) {
  const std::size_t count = step.batches.size() / static_cast<std::size_t>(sharing_.shards);
  objective_.parameters().gradients().zero();
  for (const StepBatch& at : step.batches.subspan(static_cast<std::size_t>(shard) * count, count)) {
    Pass pass = make_pass_(at.number);
    const BatchLoss part = objective_.loss(at.epoch, at.batch, step.normalizer, pass);
    backward(part.loss);
    step.losses.push_back(part.loss_sum);
    step.nlls.push_back(part.nll_sum);
  }
}

StepGradient::Losses StepGradient::losses_of(const Step& step) {
  if (processes_.size() == 1)  // may still be on the device
    return {Measured([losses = step.losses] { return total(losses); }),
            Measured([nlls = step.nlls] { return total(nlls); })};
  std::vector<double> own;
  for (std::size_t i = 0; i < step.losses.size(); ++i) {
    own.push_back(step.losses[i]);
    own.push_back(step.nlls[i]);
  }
  const std::vector<double> all = gather_numbers(processes_, own);
  double loss = 0, nll = 0;
  for (std::size_t i = 0; i < all.size(); i += 2) {
    loss += all[i];
    nll += all[i + 1];
  }
  return {loss, nll};
}

}  // namespace attend
