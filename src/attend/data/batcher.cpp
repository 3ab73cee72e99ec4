#include "attend/data/batcher.h"

#include <algorithm>
#include <utility>

namespace attend {
namespace {

std::vector<std::int32_t> costs_of(const EncodedPairs& pairs) {
  std::vector<std::int32_t> costs(pairs.src.sequences());
  for (std::size_t i = 0; i < costs.size(); ++i)
    costs[i] = std::max(pairs.src.length(i), pairs.tgt.length(i)) + 1;
  return costs;
}

class FixedPairs final : public PairSource {
 public:
  explicit FixedPairs(EncodedPairs pairs)
      : pairs_(std::make_shared<const EncodedPairs>(std::move(pairs))) {}
  std::shared_ptr<const EncodedPairs> pairs(std::int64_t) const override { return pairs_; }

 private:
  std::shared_ptr<const EncodedPairs> pairs_;
};

}  // namespace

TranslationBatcher::TranslationBatcher(EncodedPairs pairs, const SpecialTokens& src,
                                       const SpecialTokens& tgt, const BatchOptions& options,
                                       std::optional<std::uint64_t> seed)
    : TranslationBatcher(std::make_shared<const FixedPairs>(std::move(pairs)), src, tgt, options,
                         seed) {}

TranslationBatcher::TranslationBatcher(std::shared_ptr<const PairSource> source,
                                       const SpecialTokens& src, const SpecialTokens& tgt,
                                       const BatchOptions& options,
                                       std::optional<std::uint64_t> seed)
    : source_(source),
      src_(src),
      tgt_(tgt),
      planner_([source](std::int64_t epoch) { return costs_of(*source->pairs(epoch)); }, options,
               seed) {
  planner_.plan(0);
}

std::int64_t TranslationBatcher::batches(std::int64_t epoch) const {
  return planner_.plan(epoch)->batches();
}

TranslationBatch TranslationBatcher::batch(std::int64_t epoch, std::int64_t index) const {
  const auto plan = planner_.plan(epoch);
  const auto pairs = source_->pairs(epoch);
  RaggedBuilder src, tgt_in;
  std::vector<std::int32_t> tgt_out;
  for (const std::int32_t pair : (*plan)[index]) {
    src.append(pairs->src[pair]);
    src.append(src_.eos);
    src.end_sequence();

    const std::span<const std::int32_t> target = pairs->tgt[pair];
    tgt_in.append(tgt_.bos);
    tgt_in.append(target);
    tgt_in.end_sequence();

    tgt_out.insert(tgt_out.end(), target.begin(), target.end());
    tgt_out.push_back(tgt_.eos);
  }
  return {src.build(), tgt_in.build(), std::move(tgt_out)};
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
