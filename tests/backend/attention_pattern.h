// Patterns of attention over ragged batches, and random operands for them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "attend/backend/backend.h"
#include "backend/operands.h"

namespace attend {

enum class BiasKind {
  none,
  finite,
  forbidding
};  // forbidding: -infinity here and there, and in all of some rows

struct AttentionPattern {
  std::string name;
  std::vector<std::pair<int, int>> lengths;  // (Tq, Tk) of each sequence
  int heads = 2;
  int key_width = 8;    // Dh
  int value_width = 8;  // Dv
  bool causal = false;
  BiasKind bias = BiasKind::none;
  float dropout = 0.0f;
  int reach = -1;  // of random biases by distance; -1: none
  Precision precision = Precision::f32;
  int window = 0;
  float cap = 0.0f;
};

// Small ones, one for each property that a kernel could get wrong; the tests of gradients use
// these.
std::vector<AttentionPattern> small_attention_patterns();
// In bf16, with sequences that are long enough to be rounded and others that are not. All operands
// are bf16 already and the scale is a power of two, so only weights and their gradients are
// rounded.
std::vector<AttentionPattern> bf16_attention_patterns();
// Lengths up to 300, widths up to 64 and not multiples of a vector.
std::vector<AttentionPattern> large_attention_patterns();

void round_to_bf16(const Tensor& x);

// The operands and the layout of a pattern. Between the keys of two
// sequences lies one row that belongs to none.
struct AttentionProblem {
  AttentionProblem(const AttentionPattern& pattern, Operands& operands);
  AttentionProblem(const AttentionProblem&) = delete;
  AttentionProblem& operator=(const AttentionProblem&) = delete;

  std::int64_t queries() const { return q.rows(); }
  std::int64_t keys() const { return k.rows(); }
  std::int64_t weights_size() const { return pairs * layout.heads; }

  AttentionOperands operands() const { return {q, k, v, distance_bias}; }

  std::vector<std::int32_t> query_offsets, key_begin, key_end;
  std::int64_t pairs = 0;  // sum of Tq Tk
  Tensor q, k, v;
  DistanceBias distance_bias;
  AttentionLayout layout;
};

}  // namespace attend
