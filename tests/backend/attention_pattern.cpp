#include "backend/attention_pattern.h"

#include <cmath>
#include <utility>

#include "attend/tensor/bf16.h"

namespace attend {

namespace {

using Lengths = std::vector<std::pair<int, int>>;

// About a fifth forbidden, and the whole of every seventh row.
Tensor random_bias(const Lengths& lengths, BiasKind kind, std::int64_t pairs, Operands& operands) {
  const Tensor bias = operands.normal_vector(pairs);
  if (kind == BiasKind::finite) return bias;
  std::int64_t at = 0;
  for (const auto& [queries, keys] : lengths) {
    for (int i = 0; i < queries; ++i) {
      for (int j = 0; j < keys; ++j, ++at) {
        if (i % 7 == 3 || operands.random().below(5) == 0) bias.data()[at] = -INFINITY;
      }
    }
  }
  return bias;
}

}  // namespace

void round_to_bf16(const Tensor& x) {
  for (std::int64_t r = 0; r < x.rows(); ++r)
    for (std::int64_t c = 0; c < x.cols(); ++c)
      x.row(r)[c] = float_of_bf16(nearest_bf16(x.row(r)[c]));
}

std::vector<AttentionPattern> small_attention_patterns() {
  const Lengths self{{3, 3}, {1, 1}, {5, 5}};
  const Lengths cross{{3, 5}, {4, 2}, {1, 6}};
  return {
      {.name = "self", .lengths = self},
      {.name = "one_head_of_width_one",
       .lengths = self,
       .heads = 1,
       .key_width = 1,
       .value_width = 1},
      {.name = "cross", .lengths = cross},
      {.name = "empty_sequences", .lengths = {{0, 0}, {2, 3}, {0, 4}, {3, 0}, {2, 2}}},
      {.name = "wider_values", .lengths = cross, .heads = 3, .key_width = 4, .value_width = 7},
      {.name = "narrower_values", .lengths = self, .key_width = 9, .value_width = 3},
      {.name = "causal", .lengths = self, .causal = true},
      {.name = "causal_after_a_prefix", .lengths = {{2, 5}, {3, 4}, {1, 3}}, .causal = true},
      {.name = "causal_with_blind_queries", .lengths = {{5, 2}, {3, 3}, {4, 1}}, .causal = true},
      {.name = "bias", .lengths = cross, .bias = BiasKind::finite},
      {.name = "forbidding_bias", .lengths = {{5, 5}, {4, 3}}, .bias = BiasKind::forbidding},
      {.name = "causal_forbidding_bias",
       .lengths = {{5, 5}, {2, 4}},
       .causal = true,
       .bias = BiasKind::forbidding},
      {.name = "dropout", .lengths = self, .dropout = 0.3f},
      {.name = "distances", .lengths = self, .reach = 2},
      {.name = "distances_of_a_memory", .lengths = cross, .heads = 3, .reach = 9},
      {.name = "causal_distances",
       .lengths = {{4, 4}, {2, 5}, {5, 2}, {0, 3}, {2, 0}},
       .causal = true,
       .reach = 1},
      {.name = "window", .lengths = {{5, 5}, {1, 1}, {4, 7}, {6, 3}, {0, 2}}, .window = 2},
      {.name = "window_of_one", .lengths = {{5, 5}, {3, 6}}, .window = 1},
      {.name = "causal_window", .lengths = {{7, 7}, {2, 6}}, .causal = true, .window = 3},
      {.name = "capped", .lengths = cross, .cap = 0.7f},
      {.name = "capped_distances", .lengths = self, .reach = 2, .cap = 1.5f},
      {.name = "everything_in_a_window",
       .lengths = {{6, 6}, {4, 8}, {0, 3}, {5, 4}, {2, 0}},
       .heads = 3,
       .key_width = 5,
       .value_width = 4,
       .causal = true,
       .bias = BiasKind::forbidding,
       .dropout = 0.3f,
       .reach = 3,
       .window = 3,
       .cap = 0.9f},
      {.name = "everything",
       .lengths = {{4, 6}, {0, 3}, {5, 4}, {2, 0}},
       .heads = 3,
       .key_width = 5,
       .value_width = 4,
       .causal = true,
       .bias = BiasKind::forbidding,
       .dropout = 0.3f,
       .reach = 3},
  };
}

std::vector<AttentionPattern> large_attention_patterns() {
  const Lengths self{{1, 1}, {17, 17}, {33, 33}, {8, 8}, {130, 130}};
  const Lengths cross{{9, 31}, {40, 7}, {1, 64}, {65, 16}};
  return {
      {.name = "long_self",
       .lengths = {{300, 300}},
       .heads = 1,
       .key_width = 16,
       .value_width = 16},
      {.name = "long_causal",
       .lengths = {{300, 300}, {2, 2}},
       .heads = 1,
       .key_width = 20,
       .value_width = 12,
       .causal = true},
      {.name = "ragged_self", .lengths = self, .heads = 4, .key_width = 32, .value_width = 32},
      {.name = "ragged_causal",
       .lengths = self,
       .heads = 2,
       .key_width = 64,
       .value_width = 64,
       .causal = true},
      {.name = "ragged_cross", .lengths = cross, .heads = 2, .key_width = 64, .value_width = 64},
      {.name = "odd_widths", .lengths = cross, .heads = 3, .key_width = 13, .value_width = 29},
      {.name = "ragged_bias",
       .lengths = cross,
       .heads = 2,
       .key_width = 16,
       .value_width = 24,
       .bias = BiasKind::forbidding},
      {.name = "ragged_everything",
       .lengths = {{70, 90}, {0, 5}, {50, 33}, {3, 0}, {16, 16}},
       .heads = 2,
       .key_width = 24,
       .value_width = 40,
       .causal = true,
       .bias = BiasKind::forbidding,
       .dropout = 0.2f,
       .reach = 20},
      {.name = "ragged_distances",
       .lengths = self,
       .heads = 3,
       .key_width = 16,
       .value_width = 16,
       .reach = 40},
      {.name = "long_causal_distances",
       .lengths = {{300, 300}, {2, 2}, {280, 300}},
       .heads = 2,
       .key_width = 8,
       .value_width = 8,
       .causal = true,
       .reach = 400},
      {.name = "long_window",
       .lengths = {{300, 300}, {5, 5}, {20, 300}, {70, 300}},
       .heads = 1,
       .key_width = 8,
       .value_width = 8,
       .window = 20},
      {.name = "long_causal_window",
       .lengths = {{300, 300}, {3, 3}, {30, 300}, {130, 30}, {70, 300}},
       .heads = 2,
       .key_width = 8,
       .value_width = 12,
       .causal = true,
       .window = 30},
      {.name = "long_causal_window_of_one",
       .lengths = {{300, 300}, {2, 300}},
       .heads = 1,
       .key_width = 5,
       .value_width = 8,
       .causal = true,
       .window = 1},
      {.name = "everything_in_a_long_window",
       .lengths = {{300, 300}, {0, 5}, {50, 33}, {3, 0}, {16, 290}, {70, 300}},
       .heads = 2,
       .key_width = 8,
       .value_width = 8,
       .causal = true,
       .bias = BiasKind::forbidding,
       .dropout = 0.2f,
       .reach = 20,
       .window = 37,
       .cap = 2.0f},
      {.name = "ragged_dropout",
       .lengths = self,
       .heads = 2,
       .key_width = 16,
       .value_width = 16,
       .dropout = 0.1f},
  };
}

std::vector<AttentionPattern> bf16_attention_patterns() {
  const Lengths self{{1, 1}, {65, 65}, {8, 8}, {130, 130}},
      cross{{9, 101}, {40, 7}, {1, 64}, {65, 66}};
  std::vector<AttentionPattern> patterns{
      {.name = "bf16_self", .lengths = self, .key_width = 64, .value_width = 64},
      {.name = "bf16_long_causal",
       .lengths = {{300, 300}, {2, 2}, {10, 301}},
       .key_width = 32,
       .value_width = 32,
       .causal = true},
      {.name = "bf16_cross", .lengths = cross, .key_width = 64, .value_width = 64},
      {.name = "bf16_odd_widths", .lengths = cross, .heads = 3, .key_width = 13, .value_width = 29},
      {.name = "bf16_width_one", .lengths = self, .heads = 1, .key_width = 1, .value_width = 1},
      {.name = "bf16_everything",
       .lengths = {{70, 91}, {0, 75}, {50, 33}, {3, 0}, {99, 99}, {80, 67}},
       .key_width = 24,
       .value_width = 40,
       .causal = true,
       .bias = BiasKind::forbidding,
       .dropout = 0.2f,
       .reach = 20},
      {.name = "bf16_causal_window",
       .lengths = {{300, 300}, {2, 2}, {10, 301}},
       .key_width = 32,
       .value_width = 32,
       .causal = true,
       .window = 9},
      {.name = "bf16_capped_window",
       .lengths = {{320, 320}, {70, 65}},
       .key_width = 24,
       .value_width = 40,
       .window = 33,
       .cap = 3.0f},
  };
  for (AttentionPattern& pattern : patterns) pattern.precision = Precision::bf16;
  return patterns;
}

AttentionProblem::AttentionProblem(const AttentionPattern& pattern, Operands& operands) {
  query_offsets.push_back(0);
  std::int32_t key = 0;
  std::vector<std::int32_t> key_offsets{0}, key_sequence;
  for (const auto& [query_count, key_count] : pattern.lengths) {
    query_offsets.push_back(query_offsets.back() + query_count);
    key_begin.push_back(key);
    key += key_count;
    key_end.push_back(key);
    key_sequence.push_back(static_cast<std::int32_t>(key_offsets.size()) - 1);
    key_offsets.push_back(key);
    key_offsets.push_back(++key);
    pairs += std::int64_t{query_count} * key_count;
  }
  q = operands.normal(query_offsets.back(), pattern.heads * pattern.key_width);
  k = operands.normal(key, pattern.heads * pattern.key_width);
  v = operands.normal(key, pattern.heads * pattern.value_width);
  layout.query_offsets = query_offsets;
  layout.key_offsets = std::move(key_offsets);
  layout.key_sequence = std::move(key_sequence);
  layout.causal = pattern.causal;
  if (pattern.bias != BiasKind::none)
    layout.bias = random_bias(pattern.lengths, pattern.bias, pairs, operands);
  if (pattern.reach >= 0)
    distance_bias.table = operands.normal(2 * pattern.reach + 1, pattern.heads);
  layout.heads = pattern.heads;
  layout.scale = 1.0f / std::sqrt(static_cast<float>(pattern.key_width));
  layout.dropout = {pattern.dropout, {12, 34}};
  layout.precision = pattern.precision;
  layout.window = pattern.window;
  layout.cap = pattern.cap;
  if (pattern.precision == Precision::f32) return;
  layout.scale = 0.25f;
  for (const Tensor& x : {q, k, v}) round_to_bf16(x);
}

}  // namespace attend
