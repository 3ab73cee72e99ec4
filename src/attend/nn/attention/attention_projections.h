// The projections of multi-head attention, x W_Q, m W_K and m W_V for all heads, and what happens
// to them before scores are computed: the normalization of every head, the rotation by positions,
// and the rounding for a cache.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "attend/nn/attention/attention_function.h"
#include "attend/nn/attention/disentangled_positions.h"
#include "attend/nn/layers.h"
#include "attend/nn/parameters/parameters.h"
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

// What a normalization of queries and keys covers: each head alone (Henry et al. 2020), with the
// same gains for all, or all heads of a token together.
enum class QkNormSpan { head, all };
inline std::span<const std::string_view> enum_names(QkNormSpan) {
  static constexpr std::array<std::string_view, 2> names{"head", "all"};
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
  float cap = 0.0f;          // of the scores; 0: none. As relative positions, for soft attention.
  std::int64_t window = 0;   // self-attention sees keys less than that far away; 0: all
  AttentionBiases biases = AttentionBiases::all;
  std::optional<NormOptions> qk_norm = {};  // of queries and keys, before a rotation
  QkNormSpan qk_norm_span = QkNormSpan::head;
  std::optional<RotaryOptions> rotary = {};  // queries and keys of self-attention are rotated
  // Biases of the scores of self-attention; null: none. For soft attention with dot products.
  std::shared_ptr<const RelativePositions> relative = nullptr;
  // Further terms of these scores; null: none.
  std::shared_ptr<const DisentangledPositions> disentangled = nullptr;
};

// The heads of keys and values, side by side in one variable.
struct KeysValues {
  Columns keys;    // [M, G*d_key] with G key heads
  Columns values;  // [M, G*d_value]
};

struct QueriesKeysValues {
  Columns queries;  // [N, H*d_key]
  KeysValues keys_values;
};

class AttentionProjections {
 public:
  // Parameters q_proj, k_proj and v_proj, each with a weight and perhaps a bias; q_norm and k_norm.
  // Stacked weights are views of the same parameters: one GEMM instead of two or three. The options
  // have no zeros.
  AttentionProjections(ParameterSet& parameters, const std::string& path,
                       const MultiHeadAttentionOptions& options);

  // Q, K and V of self-attention, in one product unless their inputs differ. `positions`: one for
  // each row of x, which a rotary encoding reads. Throws ShapeError unless d_memory == d_model.
  QueriesKeysValues self(const SelfAttentionInput& x, const Ids& positions,
                         Precision precision = Precision::f32) const;
  Variable queries(const Variable& x, Precision precision = Precision::f32) const;
  KeysValues keys_values(const Variable& memory, Precision precision = Precision::f32) const;

  // Throws DataError for positions of a cache that turn differently in a sequence of their length
  // than the cached ones before them did.
  void require_positions_alike(const Ids& positions) const;

  // Keys and values as a cache keeps them: [M, G*(d_key+d_value)], or [M, G*(d_key+4+d_value+4)] in
  // 8 bits if the weights are in 8 or 4.
  Tensor stored(const KeysValues& keys_values) const;
  // Where the values begin in a row of stored() of this type.
  std::int64_t stored_values_begin(DType dtype) const;

 private:
  // Normalizations of the queries and of the keys.
  struct HeadNorms {
    HeadNorms(ParameterSet& parameters, const std::string& path,
              const MultiHeadAttentionOptions& options);
    Norm queries, keys;
  };
  struct Projection {
    Parameter weight, bias;
    Variable of(const Variable& x, Precision precision) const;
  };

  // Keys and values side by side.
  Variable side_by_side(const Variable& memory, Precision precision) const;
  // Stored elements of all heads of `width`, in 8 bits.
  std::int64_t rounded_width(std::int64_t width) const;

  std::string path_;
  std::int64_t d_model_, d_memory_;
  std::int64_t d_key_, d_value_;  // of one head
  int n_key_heads_;
  std::int64_t query_width_;  // n_heads * d_key
  std::int64_t key_width_;    // n_key_heads * d_key
  std::int64_t value_width_;  // n_key_heads * d_value
  Projection q_, kv_;
  Projection qkv_;  // if d_memory == d_model
  std::optional<HeadNorms> head_norms_;
  std::optional<RotaryEncoding> rotary_;
};

}  // namespace attend
