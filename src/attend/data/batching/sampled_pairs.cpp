#include "attend/data/batching/sampled_pairs.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "attend/core/random/random.h"
#include "attend/core/threads/interruption.h"
#include "attend/core/threads/parallel.h"

namespace attend {

namespace {

// Every sentence has its own stream, so threads make no difference.
Ragged sampled(const Ragged& sentences, const BpeDropout& dropout, const RandomKey& key,
               std::int64_t longest) {
  std::vector<std::vector<std::int32_t>> cut(static_cast<std::size_t>(sentences.sequences()));
  parallel_for(sentences.sequences(), 256, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      look_for_interruption();
      Random random(RandomKey{key.seed, key.stream + static_cast<std::uint64_t>(i)});
      std::vector<std::int32_t> ids = dropout.sample(sentences[i], random);
      if (longest > 0 && std::ssize(ids) >= longest)
        ids.assign(sentences[i].begin(), sentences[i].end());
      cut[static_cast<std::size_t>(i)] = std::move(ids);
    }
  });
  RaggedBuilder result;
  for (const std::vector<std::int32_t>& ids : cut) result.add(ids);
  return result.build();
}

}  // namespace

SampledPairs::SampledPairs(EncodedPairs pairs, BpeDropout src, BpeDropout tgt, std::uint64_t seed,
                           std::int64_t longest)
    : pairs_(std::move(pairs)),
      src_(std::move(src)),
      tgt_(std::move(tgt)),
      seed_(seed),
      longest_(longest) {}

EncodedPairs SampledPairs::make(std::int64_t epoch) const {
  EncodedPairs pairs;
  pairs.src = sampled(pairs_.src, src_,
                      {seed_, stream_of(fmt::format("bpe_dropout.src.epoch.{}", epoch))}, longest_);
  pairs.tgt = sampled(pairs_.tgt, tgt_,
                      {seed_, stream_of(fmt::format("bpe_dropout.tgt.epoch.{}", epoch))}, longest_);
  return pairs;
}

}  // namespace attend
