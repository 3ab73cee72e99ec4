// The attention of recurrent encoder-decoders (Bahdanau et al. 2015): one head, whose values are
// the memory itself.
#pragma once

#include <string>

#include "attend/nn/attention_function.h"
#include "attend/nn/layers.h"

namespace attend {

struct AdditiveAttentionOptions {
  std::int64_t d_query = 512;
  std::int64_t d_memory = 512;
  std::int64_t d_hidden = 512;  // of the network that scores
  AttentionVariant variant;  // standard scores are additive; plain ones are a ConfigError, because
                             // states and memory differ in width
};

class AdditiveAttention {
 public:
  // Parameters query_proj.weight [A, d_query], key_proj.weight [A, d_memory], key_proj.bias [A],
  // score.weight [1, A].
  AdditiveAttention(ParameterSet& parameters, const std::string& path,
                    const AdditiveAttentionOptions& options);

  // A memory [M, d_memory] to attend to many times, and its keys U m + b [M, A].
  struct Memory {
    Variable values;
    Variable keys;
  };
  Memory project_memory(const Variable& memory, const Pass& pass) const;

  // query [N, d_query] -> sums of the memory's values [N, d_memory]. weights: [Tq, Tk] for each
  // sequence, one after the other, or null.
  Variable forward(const Variable& query, const Memory& memory, const AttentionPattern& pattern,
                   const Pass& pass, Tensor* weights = nullptr) const;

 private:
  Linear query_proj_;
  Linear key_proj_;
  AttentionFunction function_;
};

}  // namespace attend
