#include "attend/data/stored/token_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "attend/core/threads/parallel.h"
#include "attend/error.h"

namespace attend {

void TokensInMemory::read(std::int64_t begin, std::span<std::int32_t> to) const {
  std::copy_n(ids_.begin() + begin, to.size(), to.begin());
}

JoinedTokens::JoinedTokens(std::vector<std::shared_ptr<const TokenStream>> streams)
    : streams_(std::move(streams)), begins_{0} {
  for (const auto& stream : streams_) {
    const bool is_first = begins_.back() == 0;
    begins_.push_back(begins_.back() + stream->size() - (is_first || stream->size() == 0 ? 0 : 1));
  }
}

void JoinedTokens::read(std::int64_t begin, std::span<std::int32_t> to) const {
  while (!to.empty()) {
    const auto after = std::upper_bound(begins_.begin(), begins_.end(), begin);
    const auto number = static_cast<std::size_t>(after - begins_.begin()) - 1;
    const TokenStream& stream = *streams_[number];
    const std::int64_t own = begins_[number + 1] - begins_[number];
    const std::int64_t skipped = stream.size() - own, at = begin - begins_[number];
    const auto count = std::min(to.size(), static_cast<std::size_t>(own - at));
    stream.read(skipped + at, to.first(count));
    begin += static_cast<std::int64_t>(count);
    to = to.subspan(count);
  }
}

void StreamWriter::add(std::span<const std::int32_t> ids) {
  for (const std::int32_t id : ids) {
    block_.push_back(id);
    if (std::ssize(block_) == kStreamBlock) finish();
  }
}

void StreamWriter::finish() {
  if (block_.empty()) return;
  const std::array sequences{std::span<const std::int32_t>(block_)};
  shards_.add(sequences);
  block_.clear();
}

StoredTokens::StoredTokens(std::vector<std::shared_ptr<const ShardReader>> shards)
    : shards_(std::move(shards)), begins_{0} {
  for (const auto& shard : shards_) begins_.push_back(begins_.back() + shard->samples());
  std::vector<std::int64_t> sizes(shards_.size());
  parallel_each(std::ssize(shards_), [&](std::int64_t s) {
    const auto number = static_cast<std::size_t>(s);
    const ShardReader& shard = *shards_[number];
    const std::vector<std::int32_t> lengths = shard.lengths();
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      const bool last = number + 1 == shards_.size() && i + 1 == lengths.size();
      if (last ? lengths[i] < 1 || lengths[i] > kStreamBlock : lengths[i] != kStreamBlock)
        throw DataError(fmt::format("{}: sample {}: expected {} tokens, found {}", shard.path(),
                                    i + 1, kStreamBlock, lengths[i]));
      sizes[number] += lengths[i];
    }
  });
  for (const std::int64_t size : sizes) size_ += size;
}

void StoredTokens::read(std::int64_t begin, std::span<std::int32_t> to) const {
  ShardReader::Sample sample;
  while (!to.empty()) {
    const std::int64_t block = begin / kStreamBlock;
    const auto after = std::upper_bound(begins_.begin(), begins_.end(), block);
    const auto shard = static_cast<std::size_t>(after - begins_.begin()) - 1;
    shards_[shard]->read(block - begins_[shard], sample);
    const std::span ids =
        std::span(sample.ids).subspan(static_cast<std::size_t>(begin % kStreamBlock));
    const std::size_t count = std::min(ids.size(), to.size());
    std::copy_n(ids.begin(), count, to.begin());
    begin += static_cast<std::int64_t>(count);
    to = to.subspan(count);
  }
}

}  // namespace attend
