#include "attend/data/batching/batch_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "attend/core/options/option_fields.h"
#include "attend/core/random/large_shuffle.h"
#include "attend/error.h"

namespace attend {

BatchPlan::BatchPlan(std::vector<std::int32_t> order, std::span<const std::int32_t> costs,
                     std::int64_t limit)
    : order_(std::move(order)), begins_{0} {
  std::int64_t cost = 0;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const std::int32_t more = costs[order_[i]];
    if (cost + more > limit && begins_.back() != static_cast<std::int64_t>(i)) {
      begins_.push_back(static_cast<std::int64_t>(i));
      cost = 0;
    }
    cost += more;
  }
  begins_.push_back(static_cast<std::int64_t>(order_.size()));
}

std::span<const std::int32_t> BatchPlan::operator[](std::int64_t batch) const {
  if (batch < 0 || batch >= batches()) {
    throw DataError(
        fmt::format("batch {} of an epoch that has {}: was the corpus or the batch size changed "
                    "since the run began?",
                    batch, batches()));
  }
  return std::span(order_).subspan(begins_[batch], begins_[batch + 1] - begins_[batch]);
}

BatchPlanner::BatchPlanner(Costs costs, const BatchOptions& options,
                           std::optional<std::uint64_t> seed, Samples samples)
    : costs_(std::move(costs)),
      samples_(std::move(samples)),
      batch_tokens_(options.batch_tokens),
      seed_(seed) {
  check_options(options);
}

BatchPlanner::BatchPlanner(std::vector<std::int32_t> costs, const BatchOptions& options,
                           std::optional<std::uint64_t> seed)
    : BatchPlanner([costs = std::move(costs)](std::int64_t) { return costs; }, options, seed) {
  plan(0);
}

void BatchPlanner::limit_batches(std::int64_t tokens) {
  limit_ = tokens > 0 ? std::min(tokens, batch_tokens_) : batch_tokens_;
  latest_->plan = nullptr;
}

std::vector<std::int32_t> BatchPlanner::order_of(std::int64_t epoch, std::size_t samples) const {
  std::vector<std::int32_t> order;
  if (samples_) {
    order = samples_(epoch);
  } else {
    order.resize(samples);
    std::iota(order.begin(), order.end(), 0);
  }
  if (seed_) {
    Random random(RandomKey{*seed_, stream_of(fmt::format("data.epoch.{}", epoch))});
    shuffle_large(std::span(order), random);
  }
  return order;
}

std::shared_ptr<const BatchPlan> BatchPlanner::plan(std::int64_t epoch) const {
  {
    const std::lock_guard lock(latest_->mutex);
    if (latest_->plan && latest_->epoch == epoch) return latest_->plan;
    latest_->plan = nullptr;  // before there is another
  }
  // Without the lock: the parallel loops in this wait for the threads of a pool, one of which may
  // wait for the lock.
  const std::vector<std::int32_t> costs = costs_(epoch);
  if (costs.empty())
    throw DataError("no samples are left to make batches of; expected at least one");
  auto made = std::make_shared<const BatchPlan>(order_of(epoch, costs.size()), costs, limit_);
  const std::lock_guard lock(latest_->mutex);
  latest_->epoch = epoch;
  return latest_->plan = std::move(made);
}

}  // namespace attend
