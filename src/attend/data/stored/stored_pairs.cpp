#include "attend/data/stored/stored_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "attend/core/threads/parallel.h"
#include "attend/error.h"

namespace attend {

StoredPairs::StoredPairs(std::vector<std::shared_ptr<const ShardReader>> shards)
    : shards_(std::move(shards)), begins_{0} {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  for (const auto& shard : shards_) begins_.push_back(begins_.back() + shard->samples());
  if (begins_.back() > kMost)
    throw DataError(fmt::format("found {} pairs in {} shards, expected at most {}", begins_.back(),
                                shards_.size(), kMost));
}

std::vector<std::int32_t> StoredPairs::costs(std::int64_t, const PairSpecialTokens& marks) const {
  std::vector<std::int32_t> costs(static_cast<std::size_t>(size()));
  parallel_each(std::ssize(shards_), [&](std::int64_t s) {
    const std::vector<std::int32_t> lengths = shards_[static_cast<std::size_t>(s)]->lengths();
    std::int32_t* const to = costs.data() + begins_[static_cast<std::size_t>(s)];
    for (std::size_t i = 0; i < lengths.size() / 2; ++i)
      to[i] = std::max(lengths[2 * i] + marks.of_source(), lengths[2 * i + 1] + marks.of_target());
  });
  return costs;
}

template <class Use>
void StoredPairs::for_each(std::span<const std::int32_t> numbers, const Use& use) const {
  for (const std::int32_t number : numbers) {
    const auto after = std::upper_bound(begins_.begin(), begins_.end(), number);
    const auto shard = static_cast<std::size_t>(after - begins_.begin()) - 1;
    use(*shards_[shard], number - begins_[shard]);
  }
}

EncodedPairs StoredPairs::read(std::int64_t, std::span<const std::int32_t> numbers) const {
  RaggedBuilder src, tgt;
  ShardReader::Sample sample;
  for_each(numbers, [&](const ShardReader& shard, std::int64_t i) {
    shard.read(i, sample);
    src.add(sample.sequence(0));
    tgt.add(sample.sequence(1));
  });
  return {src.build(), tgt.build()};
}

PairSource::Tokens StoredPairs::tokens(std::int64_t, std::span<const std::int32_t> numbers) const {
  Tokens tokens;
  std::vector<std::int32_t> lengths;
  for_each(numbers, [&](const ShardReader& shard, std::int64_t i) {
    shard.read_lengths(i, lengths);
    tokens.src += lengths[0];
    tokens.tgt += lengths[1];
  });
  return tokens;
}

}  // namespace attend
