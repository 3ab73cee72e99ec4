// A batch of token ids without padding: all sequences end to end, and their offsets.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "attend/backend/kernel_arguments.h"

namespace attend {

// B sequences with N ids in total. Immutable; copies share memory. Sequence i is ids[offsets[i] ..
// offsets[i+1]).
struct Ragged {
  Ragged();  // no sequences
  Ragged(Ids all_ids, Ids all_offsets) : ids(std::move(all_ids)), offsets(std::move(all_offsets)) {}
  // Copies. Throws ShapeError unless offsets increase from 0 to ids.size().
  static Ragged copy(std::span<const std::int32_t> ids, std::span<const std::int32_t> offsets);
  // A batch of one.
  static Ragged one(std::span<const std::int32_t> sequence);
  // Each id is a sequence.
  static Ragged one_each(std::span<const std::int32_t> ids);

  // The batch twice in a row, for two passes with different dropout.
  Ragged twice() const;
  // Sequences begin .. end - 1. Throws ShapeError unless 0 <= begin <= end <= sequences().
  Ragged slice(std::int64_t begin, std::int64_t end) const;

  std::int64_t sequences() const { return static_cast<std::int64_t>(offsets->size()) - 1; }
  std::int64_t tokens() const { return static_cast<std::int64_t>(ids->size()); }
  std::int32_t begin_of(std::int64_t i) const { return (*offsets)[static_cast<std::size_t>(i)]; }
  std::int32_t length(std::int64_t i) const { return begin_of(i + 1) - begin_of(i); }
  std::span<const std::int32_t> operator[](std::int64_t i) const {
    return std::span(*ids).subspan(static_cast<std::size_t>(begin_of(i)),
                                   static_cast<std::size_t>(length(i)));
  }

  // The position of every token in its sequence: 0, 1, ...
  Ids positions() const;
  // Every token sees all tokens of its own sequence, or with causal the earlier ones.
  AttentionLayout self_layout(bool causal) const { return {offsets, offsets, {}, causal}; }
  // Every token sees all tokens of the sequence with the same index in `memory`.
  AttentionLayout cross_layout(const Ragged& memory) const { return {offsets, memory.offsets}; }

  Ids ids;      // N
  Ids offsets;  // B+1, from 0 to N
};

// Builds a Ragged, sequence by sequence.
class RaggedBuilder {
 public:
  void reserve(std::size_t tokens, std::size_t sequences);
  // Appends a complete sequence. Throws DataError past 2^31 - 1 ids.
  void add(std::span<const std::int32_t> sequence);
  // Appends to the current sequence, which end_sequence() completes (and throws like add()).
  void append(std::int32_t id) { ids_.push_back(id); }
  void append(std::span<const std::int32_t> ids) {
    ids_.insert(ids_.end(), ids.begin(), ids.end());
  }
  void end_sequence();

  std::int64_t tokens() const { return static_cast<std::int64_t>(ids_.size()); }
  // Returns the batch and starts a new one.
  Ragged build();

 private:
  std::vector<std::int32_t> ids_;
  std::vector<std::int32_t> offsets_{0};
};

}  // namespace attend
