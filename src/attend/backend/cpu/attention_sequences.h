// The sequences of an attention layout, in order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "attend/backend/ids_span.h"
#include "attend/backend/kernel_arguments.h"

namespace attend {

// One sequence of a layout.
struct AttentionSequence {
  std::int64_t query_begin, key_begin;  // first rows in the batch
  std::int64_t queries, keys;           // Tq, Tk
  std::int64_t bias_begin;  // start of its [Tq, Tk] block in the bias; times heads, in the weights
};

// The keys [begin, end) that a query sees.
struct VisibleKeys {
  std::int64_t begin, end;
};

// What query i of `queries` sees in a sequence with `keys`, before any bias.
inline VisibleKeys visible_keys(const AttentionLayout& layout, std::int64_t i, std::int64_t queries,
                                std::int64_t keys) {
  const std::int64_t position = i + keys - queries;
  const auto within = [keys](std::int64_t key) { return std::clamp<std::int64_t>(key, 0, keys); };
  const std::int64_t window = layout.window > 0 ? layout.window : queries + keys;
  return {within(position - window + 1), within(position + (layout.causal ? 1 : window))};
}

template <class Visit>
void for_each_sequence(const AttentionLayout& layout, const Visit& visit) {
  std::int64_t block = 0;
  const auto queries = device_span(layout.query_offsets), keys = device_span(layout.key_offsets),
             chosen = device_span(layout.key_sequence);
  for (std::size_t b = 0; b + 1 < queries.size(); ++b) {
    const std::size_t of_keys = chosen.empty() ? b : static_cast<std::size_t>(chosen[b]);
    const AttentionSequence sequence{queries[b], keys[of_keys], queries[b + 1] - queries[b],
                                     keys[of_keys + 1] - keys[of_keys], block};
    visit(sequence);
    block += sequence.queries * sequence.keys;
  }
}

}  // namespace attend
