#include "attend/models/stack_decoding.h"

#include <numeric>

namespace attend {

namespace {

std::vector<std::int32_t> of_parents(std::span<const std::int32_t> values,
                                     std::span<const std::int32_t> parents) {
  std::vector<std::int32_t> gathered;
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
      length_(static_cast<std::size_t>(hypotheses), 0) {
  earlier_.assign(static_cast<std::size_t>(lookback), Ids(length_));
}

StackDecoding::StackDecoding(const TransformerStack& stack, Embed embed, SourceMemory memory)
    : StackDecoding(stack, std::move(embed), std::ssize(*memory.offsets) - 1) {
  memory_ = std::move(memory);
  source_.resize(length_.size());
  std::iota(source_.begin(), source_.end(), 0);
}

Tensor StackDecoding::step(std::span<const std::int32_t> parents,
                           std::span<const std::int32_t> tokens) {
  const NoGradient guard;
  check_step(hypotheses(), parents, tokens);
  std::vector<std::int32_t> length = of_parents(length_, parents);
  StepTokens step{std::vector(tokens.begin(), tokens.end()), length, {}};
  for (const Ids& earlier : earlier_) step.earlier.push_back(of_parents(*earlier, parents));
  const Variable x = embed_(step);

  cache_.reorder(parents);
  cache_.extend(std::vector<std::int32_t>(parents.size(), 1));
  for (std::int32_t& n : length) ++n;
  length_ = std::move(length);
  if (!earlier_.empty()) {
    earlier_ = std::move(step.earlier);
    earlier_.insert(earlier_.begin(), step.ids);
    earlier_.pop_back();
  }
  Pass pass = Pass::inference();
  if (!memory_) {
    CachedContext context(cache_);
    return stack_.forward(x, context, pass).value();
  }
  source_ = of_parents(source_, parents);
  CachedContext context(cache_, *memory_, source_);
  return stack_.forward(x, context, pass).value();
}

}  // namespace attend
