// Assigns samples to batches: by token count, in an order that is a function of (seed, epoch).
// Shared by all batchers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "attend/core/options/options.h"

namespace attend {

inline constexpr NumberRange kBatchTokens = between(1, 1 << 24);

struct BatchOptions {
  std::int64_t batch_tokens = 4096;
};

template <class Visitor>
void fields(BatchOptions& o, Visitor&& visit) {
  visit("batch-tokens", o.batch_tokens, kBatchTokens,
        "maximum tokens in a batch; a sentence pair counts its longer side");
}

// The batches of one epoch.
class BatchPlan {
 public:
  // Fills batches with samples in `order` up to a total cost of `limit`; a sample that costs more
  // is a batch of its own.
  BatchPlan(std::vector<std::int32_t> order, std::span<const std::int32_t> costs,
            std::int64_t limit);

  std::int64_t batches() const { return static_cast<std::int64_t>(begins_.size()) - 1; }
  // The samples of a batch. Throws DataError unless 0 <= batch < batches().
  std::span<const std::int32_t> operator[](std::int64_t batch) const;

 private:
  std::vector<std::int32_t> order_;
  std::vector<std::int64_t> begins_;  // start of each batch in order_, and the end
};

// Makes the plan of an epoch on demand and keeps the latest. May be used from several threads at
// once. Memory: 4 bytes for each sample of the epoch, and 4 more for its cost while the plan is
// made.
class BatchPlanner {
 public:
  // The costs of an epoch's samples, in tokens. Must be a function of the epoch.
  using Costs = std::function<std::vector<std::int32_t>(std::int64_t epoch)>;

  // The samples of an epoch, by their places in the costs: each as often as it is in the list.
  using Samples = std::function<std::vector<std::int32_t>(std::int64_t epoch)>;

  // Without a seed samples keep their order in every epoch; without `samples` an epoch has each of
  // them once. Throws ConfigError unless batch_tokens >= 1.
  BatchPlanner(Costs costs, const BatchOptions& options, std::optional<std::uint64_t> seed,
               Samples samples = {});
  // The same samples in every epoch; costs[i]: tokens of sample i. Also throws DataError if there
  // are no samples.
  BatchPlanner(std::vector<std::int32_t> costs, const BatchOptions& options,
               std::optional<std::uint64_t> seed);

  // Limits later batches to this many tokens; 0: only the limit of the options. For measurement.
  // Not while another thread uses the planner.
  void limit_batches(std::int64_t tokens);

  // Throws DataError if there are no samples.
  std::shared_ptr<const BatchPlan> plan(std::int64_t epoch) const;

 private:
  std::vector<std::int32_t> order_of(std::int64_t epoch, std::size_t samples) const;

  Costs costs_;
  Samples samples_;  // may be empty
  std::int64_t batch_tokens_;
  std::int64_t limit_ = batch_tokens_;  // batch_tokens_, or less for measuring
  std::optional<std::uint64_t> seed_;

  struct Latest {
    std::mutex mutex;
    std::int64_t epoch = 0;
    std::shared_ptr<const BatchPlan> plan;  // null at first
  };
  std::unique_ptr<Latest> latest_ = std::make_unique<Latest>();
};

}  // namespace attend
