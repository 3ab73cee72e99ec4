// How attention computes scores and weights: the strategies behind the attention modules.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "attend/core/options/options.h"
#include "attend/nn/attention/kv_cache.h"
#include "attend/nn/parameters/parameters.h"
#include "attend/ops/attention/attention_parts.h"

namespace attend {

// The score of a query and a key.
enum class AttentionScores {
  standard,  // the default of the architecture: dot in the Transformer, additive in the recurrent
             // encoder-decoder
  dot,       // the dot product of their projections
  additive,  // v tanh(W q + U k), from a small network
};
inline std::span<const std::string_view> enum_names(AttentionScores) {
  static constexpr std::array<std::string_view, 3> kNames{"standard", "dot", "additive"};
  return kNames;
}

inline std::span<const std::string_view> enum_names(AttentionChoice) {
  static constexpr std::array<std::string_view, 3> kNames{"soft", "hard", "straight_through"};
  return kNames;
}

inline constexpr NumberRange kHeadCounts = between(1, 4096);

struct AttentionVariant {
  AttentionScores scores = AttentionScores::standard;
  AttentionChoice choice = AttentionChoice::soft;
  float inverse_temperature = 0.0f;
};

template <class Visitor>
void fields(AttentionVariant& v, Visitor&& visit) {
  visit("attention-scores", v.scores,
        "dot: dot products of queries and keys; additive: a small network; standard: additive in "
        "the rnn, dot in the transformer");
  visit("attention-choice", v.choice,
        "soft: softmax of the scores; hard: the largest score alone; straight_through: hard with "
        "the gradient of soft");
  visit("inverse-temperature", v.inverse_temperature, between(-1e6, 1e6),
        "factor of the attention scores; 0: 1/sqrt(d-key) for dot products, 1 for additive scores");
}

struct AttentionFunctionOptions {
  int heads = 1;
  int key_heads = 1;         // each is seen by heads / key_heads heads of queries
  std::int64_t d_key = 0;    // of one head
  AttentionVariant variant;  // scores are resolved, not `standard`
  float cap = 0.0f;          // of the scores, see AttentionLayout; 0: none
};

// From projected queries and keys to weighted sums of values. Uses the fused kernel where there is
// one, and otherwise separate steps.
class AttentionFunction {
 public:
  // Parameter score.weight [1, H*d_key] for additive scores, otherwise none.
  AttentionFunction(ParameterSet& parameters, const std::string& path,
                    const AttentionFunctionOptions& options);

  // q [N, H*d_key], k [M, G*d_key], v [M, G*Dv] with G key heads -> [N, H*Dv]. The function puts
  // its own heads, scale and cap into the layout, and only the fused kernel reads the precision.
  // weights: null, or receives them, as from scaled_dot_product_attention.
  // `terms` [P] are added to the scores, or undefined: not for the fused kernel.
  Variable forward(const AttentionInputs& x, AttentionLayout layout, Tensor* weights = nullptr,
                   const Variable& terms = {}) const;

  // What forward() makes the weights of [P], as from visible_scores(). No gradients.
  Tensor scores(const AttentionInputs& x, const AttentionLayout& layout,
                const Variable& terms = {}) const;

  // The weights of the first head [P], before dropout, for a loss of their own. Only of the fused
  // kernel without a cap.
  Variable first_head_weights(const AttentionInputs& x, const AttentionLayout& layout) const;

  // Decoding: row r of q [R, H*d_key] against the keys of query r, whose values start
  // `value_distance` elements after them. -> [R, value_width]. No gradients.
  Tensor cached(const Tensor& q, const KeyRows& keys, std::int64_t value_distance,
                std::int64_t value_width, const DistanceBias& bias) const;

  int heads() const { return options_.heads; }
  // Whether there is a fused kernel. Only that takes biases by distance and a cap.
  bool is_one_kernel() const;

 private:
  Columns for_all_heads(const Columns& x) const;
  AttentionLayout own_layout(AttentionLayout layout) const;
  // Before the scale and the cap.
  Variable plain_scores(const AttentionInputs& x, const AttentionLayout& layout,
                        const Variable& terms) const;

  AttentionFunctionOptions options_;
  float scale_;
  Parameter score_;
};

}  // namespace attend
