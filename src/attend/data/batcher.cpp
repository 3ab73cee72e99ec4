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

class FixedPairs final : public PairSource {
 public:
  explicit FixedPairs(EncodedPairs pairs) : pairs_(std::make_shared<const EncodedPairs>(std::move(pairs))) {}
  std::shared_ptr<const EncodedPairs> pairs(std::int64_t) const override { return pairs_; }

 private:
  std::shared_ptr<const EncodedPairs> pairs_;
};

void append(std::vector<std::int32_t>& to, std::span<const std::int32_t> ids) { to.insert(to.end(), ids.begin(), ids.end()); }

}  // namespace

TranslationBatcher::TranslationBatcher(EncodedPairs pairs, TranslationIds ids, const BatchOptions& options,
                                       std::optional<std::uint64_t> seed)
    : TranslationBatcher(std::make_shared<const FixedPairs>(std::move(pairs)), ids, options, seed) {}

TranslationBatcher::TranslationBatcher(std::shared_ptr<const PairSource> source, TranslationIds ids, const BatchOptions& options,
                                       std::optional<std::uint64_t> seed)
    : source_(source), ids_(ids), planner_([source](std::int64_t epoch) { return costs_of(*source->pairs(epoch)); }, options, seed) {
  planner_.plan(0);
}

std::int64_t TranslationBatcher::batches(std::int64_t epoch) const { return planner_.plan(epoch)->batches(); }

TranslationBatch TranslationBatcher::batch(std::int64_t epoch, std::int64_t index) const {
  TranslationBatch batch;
  fill(epoch, index, batch);
  return batch;
}

void TranslationBatcher::fill(std::int64_t epoch, std::int64_t index, TranslationBatch& batch) const {
  const auto plan = planner_.plan(epoch);
  const auto pairs = source_->pairs(epoch);
  batch.src.clear();
  batch.tgt_in.clear();
  batch.tgt_out.clear();
  for (const std::int32_t pair : (*plan)[index]) {
    append(batch.src.ids, pairs->src[pair]);
    batch.src.ids.push_back(ids_.src_eos);
    batch.src.close_sequence();

    batch.tgt_in.ids.push_back(ids_.bos);
    append(batch.tgt_in.ids, pairs->tgt[pair]);
    batch.tgt_in.close_sequence();

    append(batch.tgt_out, pairs->tgt[pair]);
    batch.tgt_out.push_back(ids_.eos);
  }
}

TranslationBatcher::Size TranslationBatcher::size(std::int64_t epoch, std::int64_t index) const {
  const auto plan = planner_.plan(epoch);
  const auto pairs = source_->pairs(epoch);
  Size size;
  for (const std::int32_t pair : (*plan)[index]) {
    ++size.pairs;
    size.src_tokens += pairs->src.length(pair) + 1;
    size.tgt_tokens += pairs->tgt.length(pair) + 1;
  }
  return size;
}

}  // namespace attend
