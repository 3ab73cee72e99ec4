// What lets the positions of a sequence see each other: self-attention, or a recurrence.
#pragma once

#include <string>

#include "attend/nn/attention/attention_projections.h"
#include "attend/nn/attention/kv_cache.h"
#include "attend/nn/pass.h"
#include "attend/ops/attention/attention.h"

namespace attend {

class SequenceMixing {
 public:
  virtual ~SequenceMixing() = default;

  // Its name in the model file.
  virtual const std::string& path() const = 0;

  // Whole sequences, the queries of `layout`. positions: those of the rows of x in their sequences.
  // x [N, d_model] -> [N, d_model].
  virtual Variable self(const SelfAttentionInput& x, const AttentionLayout& layout,
                        const Ids& positions, Pass& pass) const = 0;

  // Decoding: x [R', d_model] holds the new positions announced by cache.extend. Appends to layer
  // `layer` of the cache what later positions need of them. No gradients.
  virtual Variable self_cached(const SelfAttentionInput& x, KVCache& cache, int layer) const = 0;
};

}  // namespace attend
