#include "attend/models/stack/stack_decoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "attend/core/options/option_error.h"
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

StackDecoding::StackDecoding(const TransformerStack& stack, Embed embed, int lookback)
    : stack_(stack), embed_(std::move(embed)), cache_(stack.layers(), 0), lookback_(lookback) {}

StackDecoding::StackDecoding(const TransformerStack& stack, Embed embed, ProjectSources project)
    : StackDecoding(stack, std::move(embed), 0) {
  project_ = std::move(project);
}

void StackDecoding::join(std::int64_t hypotheses) {
  cache_.join(hypotheses);
  length_.resize(length_.size() + static_cast<std::size_t>(hypotheses), 0);
  earlier_.resize(length_.size(),
                  std::vector<std::int32_t>(static_cast<std::size_t>(lookback_), 0));
}

void StackDecoding::join(const Ragged& src) {
  const NoGradient guard;
  std::vector<Tensor> keys_values = project_(src);
  memory_.keys_values.resize(keys_values.size());
  const auto page = static_cast<std::int32_t>(memory_.keys_values.front().size());
  for (std::size_t layer = 0; layer < keys_values.size(); ++layer)
    memory_.keys_values[layer].push_back(std::move(keys_values[layer]));
  for (std::int64_t s = 0; s < src.sequences(); ++s)
    source_.push_back({page, src.begin_of(s), src.begin_of(s + 1)});
  join(src.sequences());
}

void StackDecoding::select(std::span<const std::int32_t> parents) {
  select_memory(parents);
  length_ = of_parents(length_, parents);
  earlier_ = of_parents(earlier_, parents);
}

void StackDecoding::select_memory(std::span<const std::int32_t> parents) {
  cache_.reorder(parents);
  if (source_.empty()) return;
  source_ = of_parents(source_, parents);
  drop_unused_sources();
}

void StackDecoding::drop_unused_sources() {
  const auto pages = static_cast<std::int32_t>(memory_.keys_values.front().size());
  std::vector<bool> used(static_cast<std::size_t>(pages), false);
  for (const CrossKeys& rows : source_) used[static_cast<std::size_t>(rows.page)] = true;
  for (std::int32_t page = pages; page-- > 0;) {
    if (used[static_cast<std::size_t>(page)]) continue;
    for (std::vector<Tensor>& of_layer : memory_.keys_values)
      of_layer.erase(of_layer.begin() + page);
    for (CrossKeys& rows : source_) rows.page -= rows.page > page ? 1 : 0;
  }
}

void StackDecoding::forget(std::int64_t hypothesis) {
  cache_.forget(hypothesis);
  const auto r = static_cast<std::size_t>(hypothesis);
  length_[r] = 0;
  std::fill(earlier_[r].begin(), earlier_[r].end(), 0);
}

Tensor StackDecoding::read(const Ragged& tokens) {
  std::vector<std::int32_t> all(length_.size());
  std::iota(all.begin(), all.end(), 0);
  return advance(all, tokens);
}

Tensor StackDecoding::advance(std::span<const std::int32_t> parents, const Ragged& tokens) {
  if (tokens.sequences() != std::ssize(parents))
    throw ShapeError(fmt::format("[read] expected tokens for each of {} hypotheses, got {}",
                                 parents.size(), tokens.sequences()));
  check_parents(hypotheses(), parents);
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
  const Variable x = embed_({tokens.ids, positions, {columns.begin(), columns.end()}});

  select_memory(parents);
  cache_.extend(added);
  length_ = std::move(length);
  earlier_ = std::move(earlier);
  Pass pass = Pass::inference();
  if (source_.empty()) {
    CacheContext context(cache_);
    return stack_.forward(x, context, pass).value();
  }
  std::vector<CrossKeys> source;  // of each token
  for (std::size_t r = 0; r < added.size(); ++r)
    source.insert(source.end(), static_cast<std::size_t>(added[r]), source_[r]);
  CacheContext context(cache_, memory_, source);
  return stack_.forward(x, context, pass).value();
}

void refuse_to_see_later_tokens() {
  throw OptionError<ConfigError>(
      "{}: expected a decoder with self-attention, found a recurrent one, which has no mask",
      as_key("mask-off"));
}

void require_mask(bool sees_later_tokens) {
  if (sees_later_tokens)
    throw OptionError<ConfigError>(
        "{}: tokens are written, and explained, from those before them; give the whole text, such "
        "as "
        "a translation, to score or to look into",
        as_key("mask-off"));
}

}  // namespace attend
