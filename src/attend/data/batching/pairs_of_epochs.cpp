#include "attend/data/batching/pairs_of_epochs.h"

#include <utility>

namespace attend {

std::shared_ptr<const EncodedPairs> PairsOfEpochs::pairs(std::int64_t epoch) const {
  {
    const std::lock_guard lock(mutex_);
    if (latest_epoch_ == epoch) return latest_;
  }
  // Without the lock: the parallel loop of make() waits for the threads of a pool, one of which may
  // wait for the lock.
  auto made = std::make_shared<const EncodedPairs>(make(epoch));
  const std::lock_guard lock(mutex_);
  latest_epoch_ = epoch;
  return latest_ = std::move(made);
}

}  // namespace attend
