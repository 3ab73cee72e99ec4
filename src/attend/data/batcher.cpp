#include "attend/data/batcher.h"

#include <algorithm>
#include <utility>

namespace attend {
namespace {

std::vector<std::int32_t> costs_of(const EncodedPairs& pairs) {
  std::vector<std::int32_t> costs(pairs.src.sequences());
  for (std::size_t i = 0; i < costs.size(); ++i) costs[i] = std::max(pairs.src.length(i), pairs.tgt.length(i)) + 1;
  return costs;
}

void append(std::vector<std::int32_t>& to, std::span<const std::int32_t> ids) { to.insert(to.end(), ids.begin(), ids.end()); }

}  // namespace

TranslationBatcher::TranslationBatcher(EncodedPairs pairs, TranslationIds ids, const BatchOptions& options,
                                       std::optional<std::uint64_t> seed)
    : pairs_(std::move(pairs)), ids_(ids), planner_(costs_of(pairs_), options, seed) {}

std::int64_t TranslationBatcher::batches(std::int64_t epoch) const { return planner_.plan(epoch)->batches(); }

TranslationBatch TranslationBatcher::batch(std::int64_t epoch, std::int64_t index) const {
  TranslationBatch batch;
  fill(epoch, index, batch);
  return batch;
}

void TranslationBatcher::fill(std::int64_t epoch, std::int64_t index, TranslationBatch& batch) const {
  const auto plan = planner_.plan(epoch);
  batch.src.clear();
  batch.tgt_in.clear();
  batch.tgt_out.clear();
  for (const std::int32_t pair : (*plan)[index]) {
    append(batch.src.ids, pairs_.src[pair]);
    batch.src.ids.push_back(ids_.src_eos);
    batch.src.close_sequence();

    batch.tgt_in.ids.push_back(ids_.bos);
    append(batch.tgt_in.ids, pairs_.tgt[pair]);
    batch.tgt_in.close_sequence();

    append(batch.tgt_out, pairs_.tgt[pair]);
    batch.tgt_out.push_back(ids_.eos);
  }
}

TranslationBatcher::Size TranslationBatcher::size(std::int64_t epoch, std::int64_t index) const {
  const auto plan = planner_.plan(epoch);
  Size size;
  for (const std::int32_t pair : (*plan)[index]) {
    ++size.pairs;
    size.src_tokens += pairs_.src.length(pair) + 1;
    size.tgt_tokens += pairs_.tgt.length(pair) + 1;
  }
  return size;
}

}  // namespace attend
