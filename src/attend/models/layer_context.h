// What the layers of a stack attend to. One definition of a layer serves training and decoding: in
// training its context is whole sequences, in decoding a cache of what came before.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "attend/nn/kv_cache.h"
#include "attend/nn/multi_head_attention.h"
#include "attend/nn/ragged.h"

namespace attend {

class LayerContext {
 public:
  virtual ~LayerContext() = default;
  virtual Variable attend_to_self(const MultiHeadAttention& attention, int layer, const Variable& x,
                                  Pass& pass) = 0;
  // Asked by layers with cross-attention alone.
  virtual Variable attend_to_memory(const MultiHeadAttention& attention, int layer,
                                    const Variable& x, Pass& pass) = 0;
};

// Whole sequences at once.
class FullContext final : public LayerContext {
 public:
  // For a stack without cross-attention.
  explicit FullContext(AttentionPattern self) : self_(std::move(self)) {}
  // Every position of tgt sees itself and the earlier ones, and all of the memory of its source.
  FullContext(Variable memory, const Ragged& src, const Ragged& tgt)
      : self_(tgt.self_pattern(true)), memory_(std::move(memory)), cross_(tgt.cross_pattern(src)) {}
  Variable attend_to_self(const MultiHeadAttention& attention, int layer, const Variable& x,
                          Pass& pass) override;
  Variable attend_to_memory(const MultiHeadAttention& attention, int layer, const Variable& x,
                            Pass& pass) override;

 private:
  AttentionPattern self_;
  Variable memory_;
  AttentionPattern cross_;
};

// The sources of a decoder, read: keys and values for each layer,
// TransformerStack::project_memory(), [tokens of all sources, .].
struct SourceMemory {
  std::vector<Tensor> keys_values;
  Ids offsets;  // B+1, where the tokens of each source begin
};

// One new position for each of the hypotheses being decoded.
class CachedContext final : public LayerContext {
 public:
  // For a stack without cross-attention.
  explicit CachedContext(KVCache& cache) : cache_(cache) {}
  // source: of each hypothesis, which of the memory's.
  CachedContext(KVCache& cache, const SourceMemory& memory, std::span<const std::int32_t> source);
  Variable attend_to_self(const MultiHeadAttention& attention, int layer, const Variable& x,
                          Pass& pass) override;
  Variable attend_to_memory(const MultiHeadAttention& attention, int layer, const Variable& x,
                            Pass& pass) override;

 private:
  KVCache& cache_;
  const SourceMemory* memory_ = nullptr;
  Ids slots_;    // rows of the memory, a single slab, that hypothesis 0, 1, ... attends to
  Ids offsets_;  // where those of each begin
};

}  // namespace attend
