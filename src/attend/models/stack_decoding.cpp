#include "attend/models/stack_decoding.h"

#include <fmt/format.h>

#include <numeric>

#include "attend/error.h"

namespace attend {

namespace {

template <class T>
std::vector<T> of_parents(const std::vector<T>& values, std::span<const std::int32_t> parents) {
  std::vector<T> gathered;
  gathered.reserve(parents.size());
  for (const std::int32_t parent : parents)
    gathered.push_back(values[static_cast<std::size_t>(parent)]);
  return gathered;
}

}  // namespace

StackDecoding::StackDecoding(const TransformerStack& stack, Embed embed, std::int64_t hypotheses,
                             int lookback)
    : stack_(stack),
      embed_(std::move(embed)),
      cache_(stack.layers(), hypotheses),
      length_(static_cast<std::size_t>(hypotheses), 0),
      earlier_(length_.size(), std::vector<std::int32_t>(static_cast<std::size_t>(lookback), 0)),
      lookback_(lookback) {}

StackDecoding::StackDecoding(const TransformerStack& stack, Embed embed, SourceMemory memory)
    : StackDecoding(stack, std::move(embed), std::ssize(*memory.offsets) - 1) {
  memory_ = std::move(memory);
  source_.resize(length_.size());
  std::iota(source_.begin(), source_.end(), 0);
}

Tensor StackDecoding::step(std::span<const std::int32_t> parents,
                           std::span<const std::int32_t> tokens) {
  check_step(hypotheses(), parents, tokens);
  std::vector<std::int32_t> offsets(parents.size() + 1);
  std::iota(offsets.begin(), offsets.end(), 0);
  return advance(parents, Ragged::copy(tokens, offsets));
}

Tensor StackDecoding::read(const Ragged& tokens) {
  if (tokens.sequences() != hypotheses())
    throw ShapeError(fmt::format("[read] expected tokens for each of {} hypotheses, got {}",
                                 hypotheses(), tokens.sequences()));
  std::vector<std::int32_t> all(length_.size());
  std::iota(all.begin(), all.end(), 0);
  return advance(all, tokens);
}

Tensor StackDecoding::advance(std::span<const std::int32_t> parents, const Ragged& tokens) {
  const NoGradient guard;
  std::vector<std::int32_t> length = of_parents(length_, parents), added, positions;
  auto earlier = of_parents(earlier_, parents);
  std::vector<std::vector<std::int32_t>> columns(static_cast<std::size_t>(lookback_));
  for (std::size_t r = 0; r < parents.size(); ++r) {
    const auto sequence = tokens[static_cast<std::int64_t>(r)];
    added.push_back(static_cast<std::int32_t>(sequence.size()));
    for (const std::int32_t token : sequence) {
      positions.push_back(length[r]++);
      for (std::size_t j = 0; j < columns.size(); ++j) columns[j].push_back(earlier[r][j]);
      earlier[r].insert(earlier[r].begin(), token);
      earlier[r].pop_back();
    }
  }
  StepTokens step{tokens.ids, positions, {columns.begin(), columns.end()}};
  const Variable x = embed_(step);

  cache_.reorder(parents);
  cache_.extend(added);
  length_ = std::move(length);
  earlier_ = std::move(earlier);
  Pass pass = Pass::inference();
  if (!memory_) {
    CachedContext context(cache_);
    return stack_.forward(x, context, pass).value();
  }
  source_ = of_parents(source_, parents);
  std::vector<std::int32_t> source;  // of each token
  for (std::size_t r = 0; r < added.size(); ++r)
    source.insert(source.end(), static_cast<std::size_t>(added[r]), source_[r]);
  CachedContext context(cache_, *memory_, source);
  return stack_.forward(x, context, pass).value();
}

}  // namespace attend
