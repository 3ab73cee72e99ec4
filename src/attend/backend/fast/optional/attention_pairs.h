// Tensors of pairs: a [Tq, Tk] block for each sequence and head.
#pragma once

#include <cstddef>

#include "attend/backend/fast/attention/attention_work.h"

namespace attend {

// The start of the [Tq, Tk] block of a unit's head in a tensor of pairs.
inline std::ptrdiff_t pairs_begin(const AttentionCall& call, const AttentionUnit& unit) {
  return unit.block * call.heads + unit.head * unit.queries * unit.keys;
}

// One query's row of a tensor of pairs, for softmax or arg max.
struct PairRow {
  const float* from = nullptr;
  float* to = nullptr;
  const float* bias = nullptr;  // null: none
  float scale = 1.0f;
  std::size_t begin = 0, end = 0;  // of the keys visible to the query
  std::size_t count = 0;           // all keys
};

}  // namespace attend
