#include "attend/train/step_gradient.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>

#include "attend/core/options/option_error.h"
#include "attend/error.h"

namespace attend {

namespace {

// In batch order.
double total(const std::vector<DeviceScalar>& sums) {
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

// The first element of `part` in `whole`; nullopt if it lies elsewhere. Pointers into different
// memory have no difference, addresses have.
std::optional<std::int64_t> place_in(const Tensor& whole, const Tensor& part) {
  const auto address = [](const Tensor& tensor) {
    return reinterpret_cast<std::uintptr_t>(tensor.data());
  };
  if (address(part) < address(whole)) return std::nullopt;
  const auto begin = (address(part) - address(whole)) / sizeof(float);
  if (begin >= static_cast<std::uintptr_t>(whole.size())) return std::nullopt;
  return static_cast<std::int64_t>(begin);
}

}  // namespace

void require_shareable(int shards, const Collective& processes) {
  if (shards < 1 || !std::has_single_bit(static_cast<unsigned>(shards)))
    throw ConfigError(fmt::format("shards: expected 1, 2, 4, 8, ..., got {}", shards));
  const int size = processes.size();
  if (!std::has_single_bit(static_cast<unsigned>(size)))
    throw ConfigError(fmt::format("shards: expected 1, 2, 4, 8, ... processes, got {}", size));
  if (shards % size != 0)
    throw OptionError<ConfigError>(
        "shards: expected a multiple of {}, the number of processes, got {}; with {} {} a step has "
        "{} times as many batches",
        size, shards, as_flag("shards"), size, size / shards);
}

StepGradient::StepGradient(Objective& objective, const StepSharing& sharing, Collective& processes,
                           MakePass make_pass)
    : objective_(objective),
      sharing_(sharing),
      processes_(processes),
      make_pass_(std::move(make_pass)) {
  require_shareable(sharing.shards, processes);
  const std::int64_t size = objective.parameters().trained_size();
  if (sharing.overlap && processes.size() > 1 && size > sharing.bucket)
    background_ = std::make_unique<BackgroundSum>(
        size, sharing.bucket, [this](std::int64_t begin, std::int64_t end) { add_up(begin, end); });
}

// Shard after shard: a sum of n shards waits as a branch until its neighbor, of n shards, too, is
// there.
StepGradient::Losses StepGradient::compute(std::span<const StepBatch> batches, double normalizer) {
  Step step{batches, normalizer};
  const int own = sharing_.shards / processes_.size(), first = processes_.rank() * own;
  const Tensor& gradients = objective_.parameters().gradients();
  for (int shard = 0; shard + 1 < own; ++shard) {
    compute_shard(step, first + shard, {});
    for (int count = shard + 1; count % 2 == 0; count /= 2) {
      add_branch(branches_.back(), gradients, sharing_.wire);
      branches_.pop_back();
    }
    branches_.push_back(gradients.clone());
  }
  compute_last_shard(step, first + own - 1);
  branches_.clear();
  return losses_of(step);
}

void StepGradient::compute_last_shard(Step& step, int shard) {
  const Tensor& gradients = objective_.parameters().gradients();
  if (!background_) {
    compute_shard(step, shard, {});
    if (sharing_.shards > 1) add_up(0, gradients.size());
    return;
  }
  background_->start();
  compute_shard(step, shard, [&](const Tensor& gradient) {
    const auto begin = place_in(gradients, gradient);
    if (begin) background_->complete(*begin, *begin + gradient.size());
  });
  background_->finish();
}

// Finishes the sum of a part of the gradients: with the branches of this process, then over all.
void StepGradient::add_up(std::int64_t begin, std::int64_t end) const {
  const Tensor sum = objective_.parameters().gradients().slice_rows(begin, end);
  for (auto branch = branches_.rbegin(); branch != branches_.rend(); ++branch)
    add_branch(branch->slice_rows(begin, end), sum, sharing_.wire);
  sum_over_processes(processes_, sum, sharing_.wire);
}

void StepGradient::compute_shard(Step& step, int shard, const LeafDone& done) {
  const std::size_t count = step.batches.size() / static_cast<std::size_t>(sharing_.shards);
  objective_.parameters().gradients().zero();
  for (std::size_t i = 0; i < count; ++i) {
    const StepBatch& at = step.batches[static_cast<std::size_t>(shard) * count + i];
    Pass pass = make_pass_(at.number);
    pass.share = static_cast<float>(
        static_cast<double>(objective_.size(at.epoch, at.batch).targets) / step.normalizer);
    const BatchLoss part = objective_.loss(at.epoch, at.batch, step.normalizer, pass);
    backward(part.loss, {}, i + 1 == count ? done : LeafDone());
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
