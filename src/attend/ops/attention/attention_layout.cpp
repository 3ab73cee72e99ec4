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
void check_sequences(std::string_view op, const AttentionLayout& layout) {
  const std::size_t queries = layout.query_offsets->size() - 1,
                    keys = layout.key_offsets->size() - 1;
  const std::size_t chosen = !layout.key_sequence ? keys : layout.key_sequence->size();
  if (queries != chosen)
    throw ShapeError(fmt::format("[{}] expected as many query as key sequences, got [{}] and [{}]",
                                 op, queries, chosen));
  if (!layout.key_sequence) return;
  for (const std::int32_t sequence : *layout.key_sequence) {
    if (sequence < 0 || static_cast<std::size_t>(sequence) >= keys)
      throw ShapeError(
          fmt::format("[{}] expected indices of the {} key sequences, got {}", op, keys, sequence));
  }
}

}  // namespace

void check_layout(std::string_view op, const AttentionLayout& layout, const Shape& q,
                  const Shape& k) {
  check_offsets(op, layout.query_offsets, q, "query");
  check_offsets(op, layout.key_offsets, k, "key");
  check_sequences(op, layout);
  const std::int64_t pairs = pairs_of(layout);
  if (layout.bias.defined() && layout.bias.size() != pairs)
    throw ShapeError(fmt::format("[{}] expected a bias of {} elements for q {} and k {}, got {}",
                                 op, pairs, to_string(q), to_string(k),
                                 to_string(layout.bias.shape())));
}

void check_no_shared_keys(std::string_view op, const AttentionLayout& layout) {
  if (layout.key_sequence)
    throw ShapeError(fmt::format(
        "[{}] expected no gradients where query sequences share keys, got inputs that require them",
        op));
}

std::int64_t pairs_of(const AttentionLayout& layout) {
  const Ids &queries = layout.query_offsets, &keys = layout.key_offsets;
  std::int64_t count = 0;
  for (std::int64_t b = 0; b + 1 < queries.size(); ++b) {
    const std::int64_t sequence = layout.key_sequence ? layout.key_sequence[b] : b;
    count += std::int64_t{queries[b + 1] - queries[b]} * (keys[sequence + 1] - keys[sequence]);
  }
  return count;
}

}  // namespace attend::detail
