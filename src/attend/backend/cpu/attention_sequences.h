// The sequences of an attention layout, in order.
#pragma once

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

template <class Visit>
void for_each_sequence(const AttentionLayout& layout, const Visit& visit) {
  std::int64_t block = 0;
  const auto query_offsets = device_span(layout.query_offsets),
             key_begin = device_span(layout.key_begin), key_end = device_span(layout.key_end);
  for (std::size_t b = 0; b < key_begin.size(); ++b) {
    const AttentionSequence sequence{query_offsets[b], key_begin[b],
                                     query_offsets[b + 1] - query_offsets[b],
                                     key_end[b] - key_begin[b], block};
    visit(sequence);
    block += sequence.queries * sequence.keys;
  }
}

}  // namespace attend
