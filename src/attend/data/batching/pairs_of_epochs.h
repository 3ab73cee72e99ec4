// Pairs that are made anew for every epoch.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "attend/data/batching/batcher.h"

namespace attend {

class PairsOfEpochs : public PairsInMemory {
 public:
  // Keeps the latest epoch.
  std::shared_ptr<const EncodedPairs> pairs(std::int64_t epoch) const final;

 private:
  // A function of the epoch.
  virtual EncodedPairs make(std::int64_t epoch) const = 0;

  mutable std::mutex mutex_;
  mutable std::int64_t latest_epoch_ = -1;
  mutable std::shared_ptr<const EncodedPairs> latest_;
};

}  // namespace attend
