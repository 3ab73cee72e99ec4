// A decoder-only Transformer: causal self-attention and feed-forward networks, next-token logits. What is called a GPT.
//
// One stack serves training, scoring and decoding: whole texts under a causal mask, or token by token with a cache.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "attend/core/options.h"
#include "attend/models/encoder.h"
#include "attend/models/transformer_config.h"
#include "attend/nn/kv_cache.h"
#include "attend/nn/positional_encoding.h"
#include "attend/ops/elementwise.h"
#include "attend/ops/sampled_cross_entropy.h"
#include "attend/tensor/panels.h"

namespace attend {

// The shape of a language model: that of a Transformer's stack, and what only one with a single vocabulary has.
struct LanguageTransformerConfig {
  TransformerConfig stack = default_stack();  // of which n_encoder_layers is the number of layers
  bool tied = true;
  int previous_tokens = 0;
  float output_dropout = 0.0f;
  int vocab_size = 0;  // set from the tokenizer

  int layers() const { return stack.n_encoder_layers; }
  static TransformerConfig default_stack() {
    TransformerConfig stack;
    stack.norm_first = true;
    return stack;
  }
};

template <class Visitor>
void fields(LanguageTransformerConfig& c, Visitor&& visit) {
  fields(c.stack, [&](std::string_view name, auto& value, const auto&... rest) {
    if constexpr (std::is_same_v<decltype(value), int&>) {
      if (name == "n-encoder-layers") visit("n-layers", value, kLayerCounts, "layers");
    }
    if (name != "n-encoder-layers" && name != "n-decoder-layers" && name != "tie-embeddings") visit(name, value, rest...);
  });
  visit("tied", c.tied, "use the embeddings as the output projection");
  visit("previous-tokens", c.previous_tokens, between(0, 64),
        "so many tokens before each are added to its embedding, each through a projection: what stands together is seen from the start");
  visit("output-dropout", c.output_dropout, below_one(), "dropout on what is projected to logits");
}

// Throws ConfigError naming the option that is wrong.
void validate(const LanguageTransformerConfig& config);

// Generation in progress: R hypotheses and what each has read.
class LanguageState {
 public:
  std::int64_t hypotheses() const { return static_cast<std::int64_t>(length_.size()); }
  // Ragged that hypothesis r has read.
  std::int32_t length(std::int64_t r) const { return length_[static_cast<std::size_t>(r)]; }

 private:
  friend class LanguageTransformer;
  LanguageState(int layers, std::int64_t hypotheses) : cache_(layers, hypotheses), length_(static_cast<std::size_t>(hypotheses), 0) {}

  KVCache cache_;
  std::vector<std::int32_t> length_;
  std::vector<Ids> recent_;  // the tokens read last, the newest first: of each hypothesis; as many as the model looks back
};

class LanguageTransformer {
 public:
  // With gradients, initialised from the seed. Throws ConfigError.
  LanguageTransformer(const LanguageTransformerConfig& config, std::uint64_t seed);
  // For inference: parameters without gradients, for load_parameters() to allocate and fill in.
  enum class Purpose { inference };
  LanguageTransformer(const LanguageTransformerConfig& config, Purpose purpose);

  const LanguageTransformerConfig& config() const { return config_; }
  ParameterSet& parameters() { return parameters_; }
  const ParameterSet& parameters() const { return parameters_; }

  // The table of the embeddings [V, D].
  Tensor embeddings() const { return float_weights(embedding_->value()); }

  // Ragged [N], each sequence on its own, each position seeing itself and the earlier ones -> hidden states [N, D].
  Variable hidden(const Ragged& text, Pass& pass) const;
  // Hidden states [M, D] -> logits [M, V].
  Variable project(const Variable& hidden) const;
  // log p(targets[m] | hidden[m]) for every row, chunk by chunk.
  std::vector<float> target_log_probabilities(const Variable& hidden, std::span<const std::int32_t> targets) const;
  // Cross-entropy of predicting targets[n] after the n-th token; logits are never held whole.
  CrossEntropy loss(const Ragged& text, const Ids& targets, const CrossEntropyOptions& options, Pass& pass) const;
  // The same with a normaliser estimated from a part of the vocabulary, for training.
  CrossEntropy sampled_loss(const Ragged& text, const Ids& targets, const ClassSample& sample, const CrossEntropyOptions& options,
                            Pass& pass) const;

  // Token by token: hypothesis r continues what was hypothesis parents[r] with tokens[r]. read() gives hidden states [R, D], step() logits
  // [R, V] of the token after it. No gradients. For parents or tokens that do not exist they throw ShapeError, past learned positions
  // DataError, and leave the state as it was.
  LanguageState begin(std::int64_t hypotheses) const;
  Variable read(LanguageState& state, std::span<const std::int32_t> parents, std::span<const std::int32_t> tokens) const;
  Tensor step(LanguageState& state, std::span<const std::int32_t> parents, std::span<const std::int32_t> tokens) const;

 private:
  explicit LanguageTransformer(const LanguageTransformerConfig& config);
  // ids, and the tokens before them: previous[j] those j + 1 places back.
  Variable embed(const Ids& ids, const std::vector<Ids>& previous, const Positions& positions, Pass& pass) const;
  Variable output_states(const Ragged& text, Pass& pass) const { return dropout(hidden(text, pass), pass.dropout(config_.output_dropout)); }

  LanguageTransformerConfig config_;
  ParameterSet parameters_;
  Parameter embedding_;  // [V, D]
  Parameter output_;     // [V, D]
  std::vector<Linear> previous_;
  PositionalEncoding positions_;
  Encoder stack_;
};

}  // namespace attend
