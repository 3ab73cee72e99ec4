// What several trainers of one run agree on.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "attend/backend/backend.h"
#include "attend/error.h"
#include "attend/optim/sharded_optimizer.h"
#include "attend/train/trainer.h"

namespace attend {

namespace {

// Throws ConfigError unless all processes have the numbers of the first, which are called `what`.
template <std::size_t count>
void require_equal(Collective& processes, const std::array<double, count>& own,
                   const std::array<const char*, count>& what) {
  const std::vector<double> all = gather_numbers(processes, own);
  for (std::size_t i = count; i < all.size(); ++i) {
    if (all[i] != all[i % count])
      throw ConfigError(fmt::format(
          "process {} of {} differs from the first in its {}: expected the same program, "
          "options, texts and run folder on every machine",
          i / count, processes.size(), what[i % count]));
  }
}

std::int64_t kept_bytes(const Tensor& values) {
  return values.defined() ? values.size() * static_cast<std::int64_t>(size_of(values.dtype())) : 0;
}

}  // namespace

std::unique_ptr<Optimizer> make_shared_optimizer(ParameterSet& parameters, const TrainerOptions& o,
                                                 Collective& processes) {
  // What they say to each other must fit before anything else can be compared.
  require_equal<3>(processes,
                   {static_cast<double>(o.shards), static_cast<double>(o.wire),
                    static_cast<double>(o.shard_optimizer)},
                   {"shards", "wire", "shard-optimizer"});
  if (!o.shard_optimizer || processes.size() == 1) {
    std::unique_ptr<Optimizer> whole = make_optimizer(parameters, o.optimizer, o.precision);
    if (processes.size() > 1) whole->share_steps(processes);
    return whole;
  }
  const Shard shard{processes.rank(), processes.size()};
  return std::make_unique<ShardedOptimizer>(
      parameters, make_optimizer(parameters, o.optimizer, o.precision, shard), processes);
}

// Processes that read other files or other checkpoints would train something that none of them can
// repeat. The sum of squares stands for the parameters.
void Trainer::require_equal_start() const {
  if (run_.processes->size() == 1) return;
  constexpr std::int64_t kBatches = 100;  // compared by their sizes
  double targets = 0;
  const std::int64_t batches = objective_.batches(epoch_);
  for (std::int64_t i = 0; i < std::min(batches, kBatches); ++i)
    targets = targets * 1.000001 + static_cast<double>(objective_.size(epoch_, i).targets);
  require_equal<5>(
      *run_.processes,
      {static_cast<double>(step_), static_cast<double>(batch_), static_cast<double>(batches),
       targets, backend()->sum_of_squares(objective_.parameters().values())},
      {"step", "batch of the epoch", "number of batches", "sizes of batches", "parameters"});
}

std::vector<ProcessMemory> Trainer::memory_of_processes() const {
  const ParameterSet& parameters = objective_.parameters();
  std::int64_t kept = kept_bytes(parameters.values()) + kept_bytes(parameters.gradients());
  if (average_) kept += kept_bytes(average_->values());
  std::vector<std::int64_t> optimizers = optimizer_state_.bytes();
  // Otherwise each has all of it.
  if (!options_.shard_optimizer)
    optimizers.resize(static_cast<std::size_t>(run_.processes->size()), optimizers.front());
  std::vector<ProcessMemory> memory;
  for (const std::int64_t optimizer : optimizers) memory.push_back({kept, optimizer});
  return memory;
}

}  // namespace attend
