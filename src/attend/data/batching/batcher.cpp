#include "attend/data/batching/batcher.h"

#include <algorithm>
#include <utility>

#include "attend/error.h"

namespace attend {
namespace {

class FixedPairs final : public PairsInMemory {
 public:
  explicit FixedPairs(EncodedPairs pairs)
      : pairs_(std::make_shared<const EncodedPairs>(std::move(pairs))) {}
  std::shared_ptr<const EncodedPairs> pairs(std::int64_t) const override { return pairs_; }

 private:
  std::shared_ptr<const EncodedPairs> pairs_;
};

}  // namespace

std::shared_ptr<const PairSource> pairs_in_memory(EncodedPairs pairs) {
  return std::make_shared<const FixedPairs>(std::move(pairs));
}

std::vector<std::int32_t> PairsInMemory::costs(std::int64_t epoch,
                                               const PairSpecialTokens& marks) const {
  const auto all = pairs(epoch);
  std::vector<std::int32_t> costs(static_cast<std::size_t>(all->src.sequences()));
  for (std::size_t i = 0; i < costs.size(); ++i)
    costs[i] =
        std::max(all->src.length(i) + marks.of_source(), all->tgt.length(i) + marks.of_target());
  return costs;
}

EncodedPairs PairsInMemory::read(std::int64_t epoch, std::span<const std::int32_t> numbers) const {
  const auto all = pairs(epoch);
  RaggedBuilder src, tgt;
  for (const std::int32_t pair : numbers) {
    src.add(all->src[pair]);
    tgt.add(all->tgt[pair]);
  }
  return {src.build(), tgt.build()};
}

PairSource::Tokens PairsInMemory::tokens(std::int64_t epoch,
                                         std::span<const std::int32_t> numbers) const {
  const auto all = pairs(epoch);
  Tokens tokens;
  for (const std::int32_t pair : numbers) {
    tokens.src += all->src.length(pair);
    tokens.tgt += all->tgt.length(pair);
  }
  return tokens;
}

TranslationBatcher::TranslationBatcher(EncodedPairs pairs, PairTokens tokens,
                                       const BatchOptions& options,
                                       std::optional<std::uint64_t> seed)
    : TranslationBatcher(pairs_in_memory(std::move(pairs)), std::move(tokens), options, seed) {}

TranslationBatcher::TranslationBatcher(std::shared_ptr<const PairSource> source, PairTokens tokens,
                                       const BatchOptions& options,
                                       std::optional<std::uint64_t> seed,
                                       BatchPlanner::Samples samples)
    : source_(source),
      tokens_(std::move(tokens)),
      planner_([source,
                marks = tokens_.marks](std::int64_t epoch) { return source->costs(epoch, marks); },
               options, seed, std::move(samples)) {
  if (source_->size() == 0)
    throw DataError("found no pairs to make batches of; expected at least one");
}

std::int64_t TranslationBatcher::batches(std::int64_t epoch) const {
  return planner_.plan(epoch)->batches();
}

TranslationBatch TranslationBatcher::batch(std::int64_t epoch, std::int64_t index) const {
  const auto plan = planner_.plan(epoch);
  const std::span<const std::int32_t> numbers = (*plan)[index];
  const EncodedPairs pairs = source_->read(epoch, numbers);
  RaggedBuilder src, tgt_in;
  std::vector<std::int32_t> tgt_out;
  const PairSpecialTokens& marks = tokens_.marks;
  for (std::int64_t pair = 0; pair < pairs.src.sequences(); ++pair) {
    for (const std::span<const std::int32_t> part :
         {std::span(marks.before_source), pairs.src[pair], std::span(marks.after_source)})
      src.append(part);
    src.end_sequence();

    const std::span<const std::int32_t> target = pairs.tgt[pair];
    tgt_in.append(std::span(marks.before_target));
    tgt_in.append(target);
    tgt_in.end_sequence();

    tgt_out.insert(tgt_out.end(), marks.before_target.begin() + 1, marks.before_target.end());
    tgt_out.insert(tgt_out.end(), target.begin(), target.end());
    tgt_out.push_back(tokens_.target_end);
  }
  return {src.build(), tgt_in.build(), std::move(tgt_out), {numbers.begin(), numbers.end()}};
}

TranslationBatcher::Size TranslationBatcher::size(std::int64_t epoch, std::int64_t index) const {
  const auto plan = planner_.plan(epoch);
  const std::span<const std::int32_t> numbers = (*plan)[index];
  const auto pairs = std::ssize(numbers);
  const PairSource::Tokens tokens = source_->tokens(epoch, numbers);
  return {pairs, tokens.src + pairs * tokens_.marks.of_source(),
          tokens.tgt + pairs * tokens_.marks.of_target()};
}

}  // namespace attend
