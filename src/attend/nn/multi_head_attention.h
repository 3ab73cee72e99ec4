// Multi-head attention (Vaswani et al. 2017, section 3.2.2): Concat(head_1, ..., head_H) W_O,
// head_i = Attention(x W_Q, m W_K, m W_V). Several heads may share their keys and values
// (grouped-query attention, Ainslie et al. 2023).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "attend/nn/attention_function.h"
#include "attend/nn/kv_cache.h"
#include "attend/nn/layers.h"
#include "attend/nn/parameters.h"
#include "attend/nn/pass.h"
#include "attend/nn/relative_positions.h"
#include "attend/nn/rotary_encoding.h"
#include "attend/ops/linear.h"

namespace attend {

// Which projections have a bias.
enum class AttentionBiases { all, qkv, none };
inline std::span<const std::string_view> enum_names(AttentionBiases) {
  static constexpr std::array<std::string_view, 3> names{"all", "qkv", "none"};
  return names;
}

// What self-attention reads [N, d_model]: usually the same for queries, keys and values.
struct SelfAttentionInput {
  SelfAttentionInput(Variable all) : queries(std::move(all)) {}
  SelfAttentionInput(Variable queries_, Variable keys_values_)
      : queries(std::move(queries_)), keys_values(std::move(keys_values_)) {}

  Variable queries;
  Variable keys_values;  // undefined: the same as for queries
};

struct MultiHeadAttentionOptions {
  std::int64_t d_model = 512;  // width of the queries' input and of the output
  std::int64_t d_memory = 0;   // width of the memory; 0: d_model
  int n_heads = 8;
  int n_key_heads = 0;       // of keys and values, a divisor of n_heads; 0: n_heads
  std::int64_t d_key = 0;    // of one head; 0: d_model / n_heads
  std::int64_t d_value = 0;  // of one head; 0: d_model / n_heads
  AttentionVariant variant;  // standard scores are dot products
  float dropout = 0.0f;      // on the weights
  AttentionBiases biases = AttentionBiases::all;
  std::optional<NormOptions> qk_norm = {};   // of every head's queries and keys, before a rotation
  std::optional<RotaryOptions> rotary = {};  // queries and keys of self-attention are rotated
  // Biases of the scores of self-attention; null: none. For soft attention with dot products.
  std::shared_ptr<const RelativePositions> relative = nullptr;
};

class MultiHeadAttention {
 public:
  // Parameters q_proj, k_proj, v_proj, out_proj, each with a weight and (by default) a bias; q_norm
  // and k_norm; and score.weight for additive scores. Throws ConfigError if n_heads does not divide
  // d_model and no widths are given, and for relative positions with another variant of attention.
  MultiHeadAttention(ParameterSet& parameters, const std::string& path,
                     const MultiHeadAttentionOptions& options);

  // Attention of x to itself; Q, K, V in one product unless their inputs differ. A rotary encoding
  // reads pattern.positions. Needs d_memory == d_model. x [N, d_model] -> [N, d_model].
  Variable self(const SelfAttentionInput& x, const AttentionPattern& pattern, Pass& pass) const;

  // Attention of x [N, d_model] to memory [M, d_memory] -> [N, d_model].
  Variable cross(const Variable& x, const Variable& memory, const AttentionPattern& pattern,
                 Pass& pass) const;

  // The keys and values of a memory for cross_cached(), with G key heads [M, G*(d_key+d_value)],
  // without gradients. With 8-bit weights they are in 8 bits, too, [M, G*(d_key+4+d_value+4)], and
  // so are those of self_cached().
  Tensor project_memory(const Variable& memory) const;

  // Decoding: x [R', d_model] holds the new positions announced by cache.extend, one per
  // hypothesis. Appends their keys and values to layer `layer` of the cache; each position attends
  // to all positions of its hypothesis. No gradients.
  Variable self_cached(const SelfAttentionInput& x, KVCache& cache, int layer) const;
  // Attends to rows of project_memory(), selected for each row of x.
  Variable cross_cached(const Variable& x, const KeyRows& keys_values) const;

 private:
  // Normalizations of the queries and of the keys of one head (Henry et al. 2020).
  struct HeadNorms {
    HeadNorms(ParameterSet& parameters, const std::string& path,
              const MultiHeadAttentionOptions& options);
    Norm queries, keys;
  };

  void expect_self() const;
  Variable queries(const Variable& x, const LinearOptions& options) const;
  // Keys and values side by side.
  Variable keys_values(const Variable& memory, const LinearOptions& options) const;
  // Queries, keys and values side by side.
  Variable project_self(const SelfAttentionInput& x, const LinearOptions& options) const;
  Tensor to_cache_type(const Tensor& keys_values) const;
  // Stored elements of all heads of `width`, in 8 bits if the weights are.
  std::int64_t cached_width(std::int64_t width) const;
  Tensor attend_cached(const Tensor& q, const KeyRows& keys_values, const DistanceBias& bias) const;
  Variable attend(const Columns& q, const Columns& k, const Columns& v,
                  const AttentionPattern& pattern, Pass& pass) const;

  // The projections into the heads. Stacked ones are views of the same parameters: one GEMM instead
  // of two or three.
  struct Projections {
    Projections(ParameterSet& parameters, const std::string& path,
                const MultiHeadAttentionOptions& options);
    AffineMap q() const { return map(q_weight, q_bias); }
    AffineMap kv() const { return map(kv_weight, kv_bias); }
    AffineMap qkv() const { return map(qkv_weight, qkv_bias); }  // when d_memory == d_model

   private:
    static AffineMap map(const Parameter& weight, const Parameter& bias) {
      return {*weight, bias ? *bias : Variable()};
    }
    Parameter q_weight, q_bias;
    Parameter kv_weight, kv_bias;
    Parameter qkv_weight, qkv_bias;
  };

  std::string path_;
  MultiHeadAttentionOptions options_;  // resolved: no zeros
  std::int64_t query_width_;           // n_heads * d_key
  std::int64_t key_width_;             // n_key_heads * d_key
  std::int64_t value_width_;           // n_key_heads * d_value
  Projections projections_;
  std::optional<HeadNorms> head_norms_;
  std::optional<RotaryEncoding> rotary_;
  AttentionFunction function_;
  Linear out_proj_;
};

}  // namespace attend
