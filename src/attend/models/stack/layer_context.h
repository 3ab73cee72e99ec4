// What the layers of a stack attend to. One layer definition serves training and decoding: its
// context is whole sequences in training, and a key/value cache in decoding.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "attend/nn/attention/kv_cache.h"
#include "attend/nn/attention/multi_head_attention.h"
#include "attend/nn/ragged.h"

namespace attend {

class SequenceContext;

class AttentionContext {
 public:
  virtual ~AttentionContext() = default;
  // This context if it is one of whole sequences, which can be computed again; else null.
  virtual const SequenceContext* whole() const { return nullptr; }
  virtual Variable mix(const SequenceMixing& mixing, int layer, const SelfAttentionInput& x,
                       Pass& pass) = 0;
  // Called only by layers with cross-attention.
  virtual Variable attend_to_memory(const MultiHeadAttention& attention, int layer,
                                    const Variable& x, Pass& pass) = 0;
};

// Whole sequences.
class SequenceContext final : public AttentionContext {
 public:
  // For a stack without cross-attention. Every position of a sequence sees all of it, or with
  // causal itself and earlier positions.
  SequenceContext(const Ragged& text, bool causal)
      : self_(text.self_layout(causal)), positions_(text.positions()) {}
  // Every position of tgt sees all of the memory of its source, and of its own sequence all or with
  // causal itself and earlier positions.
  SequenceContext(Variable memory, const Ragged& src, const Ragged& tgt, bool causal)
      : self_(tgt.self_layout(causal)),
        positions_(tgt.positions()),
        memory_(std::move(memory)),
        cross_(tgt.cross_layout(src)) {}
  const SequenceContext* whole() const override { return this; }
  // The memory [M, D]; undefined without cross-attention.
  const Variable& memory() const { return memory_; }
  // The same context with another memory of this shape.
  SequenceContext with_memory(Variable memory) const {
    SequenceContext other = *this;
    other.memory_ = std::move(memory);
    return other;
  }
  Variable mix(const SequenceMixing& mixing, int layer, const SelfAttentionInput& x,
               Pass& pass) override;
  Variable attend_to_memory(const MultiHeadAttention& attention, int layer, const Variable& x,
                            Pass& pass) override;

 private:
  AttentionLayout self_;
  Ids positions_;
  Variable memory_;
  AttentionLayout cross_;
};

// Encoded sources: for each decoder layer, a page of keys and values for every group of sources
// that was encoded together.
struct EncoderMemory {
  std::vector<std::vector<Tensor>> keys_values;  // [layer][page] of [tokens of the group, .]
};

// Where a source is: rows [begin, end) of a page.
struct CrossKeys {
  std::int32_t page = 0;
  std::int32_t begin = 0;
  std::int32_t end = 0;
};

// New positions of hypotheses.
class CacheContext final : public AttentionContext {
 public:
  // For a stack without cross-attention.
  explicit CacheContext(KVCache& cache) : cache_(cache) {}
  // source: the source of each new position.
  CacheContext(KVCache& cache, const EncoderMemory& memory, std::span<const CrossKeys> source);
  Variable mix(const SequenceMixing& mixing, int layer, const SelfAttentionInput& x,
               Pass& pass) override;
  Variable attend_to_memory(const MultiHeadAttention& attention, int layer, const Variable& x,
                            Pass& pass) override;

 private:
  KVCache& cache_;
  const EncoderMemory* memory_ = nullptr;
  Ids slots_;    // rows of the memory that each position attends to
  Ids offsets_;  // offsets by position
};

}  // namespace attend
