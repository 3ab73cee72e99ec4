#include "attend/ops/attention_layout.h"

#include <algorithm>

#include "attend/ops/check.h"

namespace attend::detail {

namespace {

void check_offsets(std::string_view op, const std::shared_ptr<const std::vector<std::int32_t>>& offsets, const Shape& x,
                   std::string_view what) {
  if (offsets == nullptr || offsets->empty()) throw ShapeError(fmt::format("[{}] expected {} offsets, got none", op, what));
  if (offsets->front() != 0 || offsets->back() != x[0] || !std::is_sorted(offsets->begin(), offsets->end()))
    throw ShapeError(fmt::format("[{}] expected {} offsets [B+1] rising from 0 to the rows of {}, got [{}] from {} to {}", op, what,
                                 to_string(x), offsets->size(), offsets->front(), offsets->back()));
}

// As many query as key sequences, or for every query sequence the number of one.
void check_sequences(std::string_view op, const AttentionPattern& pattern) {
  const std::size_t queries = pattern.query_offsets->size() - 1, keys = pattern.key_offsets->size() - 1;
  const std::size_t chosen = pattern.key_sequence == nullptr ? keys : pattern.key_sequence->size();
  if (queries != chosen)
    throw ShapeError(fmt::format("[{}] expected as many query as key sequences, got [{}] and [{}]", op, queries, chosen));
  if (pattern.key_sequence == nullptr) return;
  for (const std::int32_t sequence : *pattern.key_sequence) {
    if (sequence < 0 || static_cast<std::size_t>(sequence) >= keys)
      throw ShapeError(fmt::format("[{}] expected numbers of the {} key sequences, got {}", op, keys, sequence));
  }
}

}  // namespace

void check_pattern(std::string_view op, const AttentionPattern& pattern, const Shape& q, const Shape& k) {
  check_offsets(op, pattern.query_offsets, q, "query");
  check_offsets(op, pattern.key_offsets, k, "key");
  check_sequences(op, pattern);
  const std::int64_t pairs = ResolvedLayout(pattern, 1).pairs();
  if (pattern.bias.defined() && pattern.bias.size() != pairs)
    throw ShapeError(fmt::format("[{}] expected a bias of {} elements for q {} and k {}, got {}", op, pairs, to_string(q), to_string(k),
                                 to_string(pattern.bias.shape())));
}

void check_no_shared_keys(std::string_view op, const AttentionPattern& pattern) {
  if (pattern.key_sequence != nullptr)
    throw ShapeError(fmt::format("[{}] expected no gradients where query sequences share keys, got inputs that require them", op));
}

ResolvedLayout::ResolvedLayout(const AttentionPattern& pattern, int heads) {
  const std::span<const std::int32_t> keys(*pattern.key_offsets);
  layout.query_offsets = *pattern.query_offsets;
  layout.key_begin = keys.first(keys.size() - 1);
  layout.key_end = keys.subspan(1);
  if (pattern.key_sequence != nullptr) {
    for (const std::int32_t sequence : *pattern.key_sequence) {
      begin_.push_back(keys[static_cast<std::size_t>(sequence)]);
      end_.push_back(keys[static_cast<std::size_t>(sequence) + 1]);
    }
    layout.key_begin = begin_;
    layout.key_end = end_;
  }
  layout.causal = pattern.causal;
  layout.bias = pattern.bias;
  layout.heads = heads;
}

std::int64_t ResolvedLayout::pairs() const {
  std::int64_t count = 0;
  for (std::size_t b = 0; b < layout.key_begin.size(); ++b) {
    count += std::int64_t{layout.query_offsets[b + 1] - layout.query_offsets[b]} * (layout.key_end[b] - layout.key_begin[b]);
  }
  return count;
}

}  // namespace attend::detail
