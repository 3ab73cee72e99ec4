// The encoder-only classifier: embeddings, a stack of encoder layers, pooling, one logit per class.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "attend/backend/backend.h"
#include "attend/core/options.h"
#include "attend/models/stack_input.h"
#include "attend/models/transformer_stack.h"
#include "attend/nn/layers.h"
#include "attend/nn/ragged.h"

namespace attend {

inline std::span<const std::string_view> enum_names(Pooling) {
  static constexpr std::array<std::string_view, 3> names{"max", "mean", "first"};
  return names;
}

// The configuration of a classifier: an encoder stack, and its pooling and output.
struct ClassifierConfig : StackConfig {
  ClassifierConfig() {
    d_model = 128;
    n_heads = 4;
    d_ff = 256;
  }

  int n_encoder_layers = 2;
  Pooling pooling = Pooling::max;
  float output_dropout = 0.0f;
  int bigram_buckets = 0;
  float embedding_deviation = 1.0f;
  int vocab_size = 0;  // set from the tokenizer
  int classes = 0;     // set from the labels
};

template <class Visitor>
void fields(ClassifierConfig& c, Visitor&& visit) {
  stack_fields(c, visit, [&] {
    visit("n-encoder-layers", c.n_encoder_layers, kLayerCounts, "layers of the encoder");
  });
  visit(
      "pooling", c.pooling,
      "how token vectors become one text vector: max, mean, or first (the vector of a bos token)");
  visit("output-dropout", c.output_dropout, dropout_shares(), "dropout on the text vector");
  visit("bigram-buckets", c.bigram_buckets, between(0, 1e8),
        experimental("size of a hashed table of bigram embeddings, which are added to the token "
                     "embeddings; 0: none"));
  visit("embedding-deviation", c.embedding_deviation, between(0, 1000),
        experimental("standard deviation of the initial embeddings; small values keep rare words "
                     "from being memorized"));
}

// Throws ConfigError naming the invalid option.
void validate(const ClassifierConfig& config);

// The hash bucket of each token and its predecessor in the text (Joulin et al. 2017, "Bag of Tricks
// for Efficient Text Classification"). The same on every machine.
Ids bigram_buckets(const Ragged& texts, int buckets);

class TextClassifier {
 public:
  // With gradients, initialized from the seed. Throws ConfigError.
  TextClassifier(const ClassifierConfig& config, std::uint64_t seed);
  // For inference: parameters without gradients, for load_parameters() to allocate and fill.
  enum class Purpose { inference };
  TextClassifier(const ClassifierConfig& config, Purpose purpose);

  const ClassifierConfig& config() const { return config_; }
  ParameterSet& parameters() { return parameters_; }
  const ParameterSet& parameters() const { return parameters_; }

  // The embeddings [V, D].
  Tensor embeddings() const { return backend().float_weights(embedding_->value()); }

  // B nonempty texts with N tokens in total -> a vector per token [N, D].
  Variable encode(const Ragged& texts, Pass& pass) const;
  // -> logits [B, C].
  Variable forward(const Ragged& texts, Pass& pass) const;

 private:
  explicit TextClassifier(const ClassifierConfig& config);

  ClassifierConfig config_;
  ParameterSet parameters_;
  Parameter embedding_;         // [V, D]
  Parameter bigram_embedding_;  // [buckets, D], or undefined
  StackInput input_;
  TransformerStack encoder_;
  Linear output_;
};

}  // namespace attend
