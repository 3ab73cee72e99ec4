// A ragged batch of token ids as models take it: all sequences end to end, without padding.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "attend/ops/attention.h"
#include "attend/ops/embedding.h"

namespace attend {

struct Tokens {
  Ids ids;      // N
  Ids offsets;  // B+1, from 0 to N

  // Copies. Throws ShapeError unless offsets rise from 0 to ids.size().
  static Tokens copy(std::span<const std::int32_t> ids, std::span<const std::int32_t> offsets);

  // All sequences, and then all of them again: for two passes with different dropout.
  Tokens twice() const;

  // Sequences begin .. end - 1. Throws ShapeError unless 0 <= begin <= end <= sequences().
  Tokens slice(std::int64_t begin, std::int64_t end) const;

  std::int64_t sequences() const { return static_cast<std::int64_t>(offsets->size()) - 1; }
  std::int64_t count() const { return static_cast<std::int64_t>(ids->size()); }

  // Every token may see all, or with causal the earlier, tokens of its own sequence.
  AttentionPattern self_pattern(bool causal) const { return {offsets, offsets, nullptr, causal}; }
  // Every token may see all tokens of the sequence of the same number in `memory`.
  AttentionPattern cross_pattern(const Tokens& memory) const { return {offsets, memory.offsets}; }
};

}  // namespace attend
