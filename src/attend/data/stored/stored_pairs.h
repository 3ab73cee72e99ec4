// Pairs that stay on disk and are read when a batch needs them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "attend/data/batching/batcher.h"
#include "attend/data/stored/shard.h"

namespace attend {

// The pairs of some shards, in their order; the same in every epoch. Holds nothing in memory but
// the open files. Which pair is the first of a batch makes no difference to how long it takes to
// read.
class StoredPairs final : public PairSource {
 public:
  // The shards hold samples with two sequences. Throws DataError for more than 2^31 - 1 pairs.
  explicit StoredPairs(std::vector<std::shared_ptr<const ShardReader>> shards);

  std::int64_t size() const override { return begins_.back(); }
  // Reads the index of every shard, on all threads. Throws like ShardReader::lengths().
  std::vector<std::int32_t> costs(std::int64_t epoch,
                                  const PairSpecialTokens& marks) const override;
  // Throws like ShardReader::read().
  EncodedPairs read(std::int64_t epoch, std::span<const std::int32_t> numbers) const override;
  Tokens tokens(std::int64_t epoch, std::span<const std::int32_t> numbers) const override;

 private:
  // Calls use(shard, number in the shard) for each.
  template <class Use>
  void for_each(std::span<const std::int32_t> numbers, const Use& use) const;

  std::vector<std::shared_ptr<const ShardReader>> shards_;
  std::vector<std::int64_t> begins_;  // the first pair of each shard, and the number of pairs
};

}  // namespace attend
