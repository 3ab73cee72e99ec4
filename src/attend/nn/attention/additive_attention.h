// The attention of recurrent encoder-decoders (Bahdanau et al. 2015): one head, with the memory
// itself as values.
#pragma once

#include <string>

#include "attend/nn/attention/attention_function.h"
#include "attend/nn/layers.h"

namespace attend {

struct AdditiveAttentionOptions {
  std::int64_t d_query = 512;
  std::int64_t d_memory = 512;
  std::int64_t d_hidden = 512;  // width of the scoring network
  AttentionVariant variant;     // standard scores are additive
};

class AdditiveAttention {
 public:
  // Parameters query_proj.weight [A, d_query], key_proj.weight [A, d_memory], key_proj.bias [A],
  // score.weight [1, A].
  AdditiveAttention(ParameterSet& parameters, const std::string& path,
                    const AdditiveAttentionOptions& options);

  // A memory [M, d_memory] for repeated attention, and its keys U m + b [M, A].
  struct Memory {
    Variable values;
    Variable keys;
  };
  Memory project_memory(const Variable& memory, const Pass& pass) const;

  // query [N, d_query] -> weighted sums of the memory's values [N, d_memory]. weights: null, or
  // receives a [Tq, Tk] block per sequence.
  Variable forward(const Variable& query, const Memory& memory, AttentionLayout layout,
                   const Pass& pass, Tensor* weights = nullptr) const;

 private:
  Linear query_proj_;
  Linear key_proj_;
  AttentionFunction function_;
};

}  // namespace attend
