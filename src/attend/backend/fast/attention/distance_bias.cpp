#include "attend/backend/fast/attention/distance_bias.h"

#include <algorithm>
#include <vector>

#include "attend/backend/cpu/attention_sequences.h"
#include "attend/core/threads/parallel.h"

namespace attend {

namespace {

// The row of the table for a diagonal of a sequence with this many queries.
std::ptrdiff_t row_of_diagonal(const AttentionCall& call, std::ptrdiff_t queries,
                               std::ptrdiff_t diagonal) {
  return std::clamp(queries - 1 - diagonal, -call.reach, call.reach) + call.reach;
}

}  // namespace

void load_diagonals(const AttentionCall& call, const AttentionUnit& unit, float* biases) {
  const auto size = static_cast<std::ptrdiff_t>(diagonal_floats(unit));
  const std::ptrdiff_t diagonals = unit.queries + unit.keys;
  for (std::ptrdiff_t i = 0; i < diagonals; ++i)
    biases[i] = *call.distance_bias.at(row_of_diagonal(call, unit.queries, i), unit.head);
  std::fill(biases + diagonals, biases + size, 0.0f);
}

Tensor make_distance_sums(const AttentionLayout& layout) {
  std::int64_t tokens = 0;
  for_each_sequence(layout, [&](const AttentionSequence& sequence) {
    tokens += sequence.queries + sequence.keys;
  });
  return Tensor::empty({tokens * layout.heads});
}

void write_distance_gradient(const AttentionCall& call, const AttentionLayout& layout,
                             const Tensor& gradient) {
  std::vector<AttentionSequence> sequences;
  for_each_sequence(layout,
                    [&](const AttentionSequence& sequence) { sequences.push_back(sequence); });
  parallel_each(call.heads, [&](std::int64_t head) {
    std::vector<double> sums(static_cast<std::size_t>(gradient.rows()));
    const float* from = call.distance_sums;
    for (const AttentionSequence& sequence : sequences) {
      const std::ptrdiff_t queries = sequence.queries, tokens = queries + sequence.keys;
      const float* of_head = from + head * tokens;
      for (std::ptrdiff_t i = 0; i < tokens; ++i)
        sums[static_cast<std::size_t>(row_of_diagonal(call, queries, i))] += double{of_head[i]};
      from += tokens * call.heads;
    }
    for (std::int64_t row = 0; row < gradient.rows(); ++row)
      gradient.row(row)[head] =
          static_cast<float>(sums[static_cast<std::size_t>(row)] / double{call.scale});
  });
}

}  // namespace attend
