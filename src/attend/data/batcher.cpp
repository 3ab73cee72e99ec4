#include "attend/data/batcher.h"

#include <algorithm>
#include <utility>

namespace attend {
namespace {

std::vector<std::int32_t> costs_of(const EncodedPairs& pairs, const PairMarks& marks) {
  std::vector<std::int32_t> costs(pairs.src.sequences());
  for (std::size_t i = 0; i < costs.size(); ++i)
    costs[i] =
        std::max(pairs.src.length(i) + marks.of_source(), pairs.tgt.length(i) + marks.of_target());
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

TranslationBatcher::TranslationBatcher(EncodedPairs pairs, PairTokens tokens,
                                       const BatchOptions& options,
                                       std::optional<std::uint64_t> seed)
    : TranslationBatcher(std::make_shared<const FixedPairs>(std::move(pairs)), std::move(tokens),
                         options, seed) {}

TranslationBatcher::TranslationBatcher(std::shared_ptr<const PairSource> source, PairTokens tokens,
                                       const BatchOptions& options,
                                       std::optional<std::uint64_t> seed)
    : source_(source),
      tokens_(std::move(tokens)),
      planner_([source, marks = tokens_.marks](
                   std::int64_t epoch) { return costs_of(*source->pairs(epoch), marks); },
               options, seed) {
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
  const PairMarks& marks = tokens_.marks;
  for (const std::int32_t pair : (*plan)[index]) {
    for (const std::span<const std::int32_t> part :
         {std::span(marks.before_source), pairs->src[pair], std::span(marks.after_source)})
      src.append(part);
    src.end_sequence();

    const std::span<const std::int32_t> target = pairs->tgt[pair];
    tgt_in.append(std::span(marks.before_target));
    tgt_in.append(target);
    tgt_in.end_sequence();

    tgt_out.insert(tgt_out.end(), marks.before_target.begin() + 1, marks.before_target.end());
    tgt_out.insert(tgt_out.end(), target.begin(), target.end());
    tgt_out.push_back(tokens_.target_end);
  }
  return {src.build(), tgt_in.build(), std::move(tgt_out)};
}

TranslationBatcher::Size TranslationBatcher::size(std::int64_t epoch, std::int64_t index) const {
  const auto plan = planner_.plan(epoch);
  const auto pairs = source_->pairs(epoch);
  Size size;
  for (const std::int32_t pair : (*plan)[index]) {
    ++size.pairs;
    size.src_tokens += pairs->src.length(pair) + tokens_.marks.of_source();
    size.tgt_tokens += pairs->tgt.length(pair) + tokens_.marks.of_target();
  }
  return size;
}

}  // namespace attend
