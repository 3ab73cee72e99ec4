// Multi-head attention (Vaswani et al. 2017, section 3.2.2): Concat(head_1, ..., head_H) W_O,
// head_i = Attention(x W_Q, m W_K, m W_V). Several heads may share their keys and values
// (grouped-query attention, Ainslie et al. 2023).
#pragma once

#include <string>

#include "attend/nn/attention/attention_function.h"
#include "attend/nn/attention/attention_projections.h"
#include "attend/nn/attention/kv_cache.h"
#include "attend/nn/attention/sequence_mixing.h"
#include "attend/nn/layers.h"
#include "attend/nn/parameters/parameters.h"
#include "attend/nn/pass.h"

namespace attend {

class MultiHeadAttention final : public SequenceMixing {
 public:
  // Parameters q_proj, k_proj, v_proj, out_proj, each with a weight and (by default) a bias; q_norm
  // and k_norm; and score.weight for additive scores. Throws ConfigError if n_heads does not divide
  // d_model and no widths are given, and for relative positions or a cap with another variant of
  // attention, or disentangled ones with several heads for a key or with rotary positions.
  MultiHeadAttention(ParameterSet& parameters, const std::string& path,
                     const MultiHeadAttentionOptions& options);

  const std::string& path() const override { return path_; }

  // self() and cross() put the heads, scale, dropout and precision of the module and of the pass
  // into the layout.
  //
  // Attention of x to itself; Q, K, V in one product unless their inputs differ. positions: those
  // of the rows of x in their sequences, which only a rotary encoding reads. Needs d_memory ==
  // d_model. x [N, d_model] -> [N, d_model].
  Variable self(const SelfAttentionInput& x, const AttentionLayout& layout, const Ids& positions,
                Pass& pass) const override;

  // Attention of x [N, d_model] to memory [M, d_memory] -> [N, d_model].
  Variable cross(const Variable& x, const Variable& memory, const AttentionLayout& layout,
                 Pass& pass) const;

  // The keys and values of a memory for cross_cached(), with G key heads [M, G*(d_key+d_value)],
  // without gradients. With 8-bit weights they are in 8 bits, too, [M, G*(d_key+4+d_value+4)], and
  // so are those of self_cached().
  Tensor project_memory(const Variable& memory) const;

  // Decoding: x [R', d_model] holds the new positions announced by cache.extend, one per
  // hypothesis. Appends their keys and values to layer `layer` of the cache; each position attends
  // to all positions of its hypothesis. No gradients.
  Variable self_cached(const SelfAttentionInput& x, KVCache& cache, int layer) const override;
  // Attends to rows of project_memory(), selected for each row of x.
  Variable cross_cached(const Variable& x, const KeyRows& keys_values) const;

 private:
  Variable attend(const AttentionInputs& x, AttentionLayout layout, Pass& pass,
                  const Variable& terms = {}) const;
  // What disentangled positions add to the scores [P].
  Variable terms_of(const AttentionInputs& x, AttentionLayout layout, Pass& pass) const;
  // Keeps what the heads read, and how they choose from it.
  void keep_inputs(const AttentionInputs& x, const AttentionLayout& layout, const Variable& terms,
                   const Pass& pass) const;
  Variable attend_cached(const Tensor& queries, const KeyRows& keys_values,
                         const DistanceBias& bias) const;

  std::string path_;
  MultiHeadAttentionOptions options_;  // resolved: no zeros
  AttentionProjections projections_;
  AttentionFunction function_;
  Linear out_proj_;
};

}  // namespace attend
