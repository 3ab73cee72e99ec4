#include "attend/ops/attention/attention_layout.h"

#include <algorithm>

#include "attend/ops/check.h"

namespace attend::detail {

namespace {

void check_offsets(std::string_view op, const Ids& offsets, const Shape& x, std::string_view what) {
  if (offsets->empty())
    throw ShapeError(fmt::format("[{}] expected {} offsets, got none", op, what));
  if (offsets->front() != 0 || offsets->back() != x[0] ||
      !std::is_sorted(offsets->begin(), offsets->end()))
    throw ShapeError(
        fmt::format("[{}] expected {} offsets [B+1] increasing from 0 to the rows of {}, got [{}] "
                    "from {} to {}",
                    op, what, to_string(x), offsets->size(), offsets->front(), offsets->back()));
}

// As many query as key sequences, or a key sequence index for every query sequence.
void check_sequences(std::string_view op, const AttentionPattern& pattern) {
  const std::size_t queries = pattern.query_offsets->size() - 1,
                    keys = pattern.key_offsets->size() - 1;
  const std::size_t chosen = !pattern.key_sequence ? keys : pattern.key_sequence->size();
  if (queries != chosen)
    throw ShapeError(fmt::format("[{}] expected as many query as key sequences, got [{}] and [{}]",
                                 op, queries, chosen));
  if (!pattern.key_sequence) return;
  for (const std::int32_t sequence : *pattern.key_sequence) {
    if (sequence < 0 || static_cast<std::size_t>(sequence) >= keys)
      throw ShapeError(
          fmt::format("[{}] expected indices of the {} key sequences, got {}", op, keys, sequence));
  }
}

}  // namespace

void check_pattern(std::string_view op, const AttentionPattern& pattern, const Shape& q,
                   const Shape& k) {
  check_offsets(op, pattern.query_offsets, q, "query");
  check_offsets(op, pattern.key_offsets, k, "key");
  check_sequences(op, pattern);
  const std::int64_t pairs = pairs_of(pattern);
  if (pattern.bias.defined() && pattern.bias.size() != pairs)
    throw ShapeError(fmt::format("[{}] expected a bias of {} elements for q {} and k {}, got {}",
                                 op, pairs, to_string(q), to_string(k),
                                 to_string(pattern.bias.shape())));
}

void check_no_shared_keys(std::string_view op, const AttentionPattern& pattern) {
  if (pattern.key_sequence)
    throw ShapeError(fmt::format(
        "[{}] expected no gradients where query sequences share keys, got inputs that require them",
        op));
}

AttentionLayout layout_of(const AttentionPattern& pattern, int heads) {
  AttentionLayout layout;
  layout.query_offsets = pattern.query_offsets;
  const Ids& keys = pattern.key_offsets;
  if (pattern.key_sequence) {
    std::vector<std::int32_t> begin, end;
    for (const std::int32_t sequence : *pattern.key_sequence) {
      begin.push_back(keys[sequence]);
      end.push_back(keys[sequence + 1]);
    }
    layout.key_begin = std::move(begin);
    layout.key_end = std::move(end);
  } else {
    layout.key_begin = keys.slice(0, keys.size() - 1);
    layout.key_end = keys.slice(1, keys.size());
  }
  layout.causal = pattern.causal;
  layout.bias = pattern.bias;
  layout.heads = heads;
  return layout;
}

std::int64_t pairs_of(const AttentionPattern& pattern) {
  const Ids &queries = pattern.query_offsets, &keys = pattern.key_offsets;
  std::int64_t count = 0;
  for (std::int64_t b = 0; b + 1 < queries.size(); ++b) {
    const std::int64_t sequence = pattern.key_sequence ? pattern.key_sequence[b] : b;
    count += std::int64_t{queries[b + 1] - queries[b]} * (keys[sequence + 1] - keys[sequence]);
  }
  return count;
}

}  // namespace attend::detail
