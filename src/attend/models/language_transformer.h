// The decoder-only Transformer (GPT): causal self-attention and feed-forward networks, next-token
// logits.
//
// One stack serves training, scoring and decoding: whole texts under a causal mask, or token by
// token with a key/value cache.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "attend/backend/backend.h"
#include "attend/core/options/options.h"
#include "attend/models/network.h"
#include "attend/models/stack/stack_decoding.h"
#include "attend/models/stack/stack_input.h"
#include "attend/models/stack/transformer_stack.h"
#include "attend/ops/elementwise.h"
#include "attend/ops/losses/sampled_cross_entropy.h"

namespace attend {

// The configuration of a language model: a stack, and options of models with a single vocabulary.
struct LanguageTransformerConfig : StackConfig {
  LanguageTransformerConfig() { norm_first = true; }

  int n_layers = 6;
  int embedding_width = 0;
  bool tied = true;
  int previous_tokens = 0;
  float output_dropout = 0.0f;
  float output_scale = 1.0f;
  bool output_bias = false;
  float logit_cap = 0.0f;
  int vocab_size = 0;  // set from the tokenizer

  // Whether logits are products of what the stack adds up.
  bool has_plain_output() const { return logit_cap == 0.0f && embedding_width == 0; }
  // The width of the embeddings and of the output projection.
  int width_of_embeddings() const { return embedding_width > 0 ? embedding_width : d_model; }
};

template <class Visitor>
void fields(LanguageTransformerConfig& c, Visitor&& visit) {
  stack_fields(c, visit,
               [&] { visit("n-layers", c.n_layers, kLayerCounts, "Transformer layers"); });
  visit("embedding-width", c.embedding_width, between(0, kWidths.most),
        "width of the embeddings and the output projection, with linear layers between these and "
        "d-model; 0: d-model without such layers");
  visit("tied", c.tied, "share the embeddings with the output projection");
  visit("previous-tokens", c.previous_tokens, between(0, 64),
        experimental("add projections of the embeddings of this many preceding tokens to the "
                     "embedding of each token; 0: off"));
  visit("output-dropout", c.output_dropout, dropout_shares(),
        "dropout on the input of the output projection");
  visit("output-scale", c.output_scale, between(-1e6, 1e6),
        "factor of the decoder's output before the output projection");
  visit("output-bias", c.output_bias, "add a bias for each token to the logits");
  visit("logit-cap", c.logit_cap, between(0, 1e6),
        "soft cap of the logits: a logit l becomes cap tanh(l / cap); 0: none");
}

// Throws ConfigError naming the invalid option.
void validate(const LanguageTransformerConfig& config);

class LanguageTransformer : public Network<LanguageTransformerConfig> {
 public:
  // For inference, or for training: as all networks.
  explicit LanguageTransformer(const LanguageTransformerConfig& config);
  LanguageTransformer(const LanguageTransformerConfig& config, std::uint64_t seed)
      : LanguageTransformer(config) {
    parameters_.allocate(seed);
  }

  // The embeddings [V, E].
  Tensor embeddings() const { return backend()->float_weights(embedding_->value()); }

  // Tokens [N], each position seeing itself and earlier ones of its sequence -> hidden states [N,
  // E].
  Variable hidden(const Ragged& text, Pass& pass) const;
  // Hidden states [M, E] -> logits [M, V].
  Variable project(const Variable& hidden) const;
  // Tokens [N] -> logits [N, V] of the token after each.
  Variable logits(const Ragged& text, Pass& pass) const {
    return project(output_states(text, pass));
  }
  // The output projection of project(), before the cap, possibly packed or in 8 bits.
  OutputProjection output() const {
    return {output_->value(), output_bias_ ? output_bias_->value() : Tensor()};
  }
  // log p(targets[m] | hidden[m]) for every row, in blocks.
  std::vector<float> target_log_probabilities(const Variable& hidden,
                                              std::span<const std::int32_t> targets) const;
  // Cross-entropy of predicting targets[n] after token n, without storing all logits.
  CrossEntropy loss(const Ragged& text, const Ids& targets, const CrossEntropyOptions& options,
                    Pass& pass) const;
  // Sampled softmax: the same with the normalizer estimated from a sample of the vocabulary, for
  // training. Throws ConfigError for a model with a cap or biases of its logits.
  CrossEntropy sampled_loss(const Ragged& text, const Ids& targets, const ClassSample& sample,
                            const CrossEntropyOptions& options, Pass& pass) const;

  // Lets tokens see later ones, for lessons: hidden() then has no mask, and begin(), where later
  // tokens do not exist yet, throws ConfigError.
  void see_later_tokens() { sees_later_tokens_ = true; }
  bool sees_later_tokens() const { return sees_later_tokens_; }
  // Starts incremental decoding of `hypotheses` empty sequences.
  std::unique_ptr<StackDecoding> begin(std::int64_t hypotheses) const;

 private:
  // Adds projections of the tokens before: previous[j] are those j + 1 places back.
  Variable with_previous(Variable x, const std::vector<Ids>& previous, Pass& pass) const;
  AffineMap output_map() const { return {*output_, output_bias_ ? *output_bias_ : Variable()}; }
  Variable output_states(const Ragged& text, Pass& pass) const {
    return dropout(hidden(text, pass), pass.dropout(config_.output_dropout));
  }

  Parameter embedding_;    // [V, E]
  Parameter output_;       // [V, E]
  Parameter output_bias_;  // [V], or none
  std::vector<Linear> previous_;
  StackInput input_;
  TransformerStack stack_;
  bool sees_later_tokens_ = false;
};

}  // namespace attend
