// The encoder-only Transformer (BERT): embeddings, and a stack of layers in which every token sees
// its whole text, or the text before it. It is part of classifiers, of taggers and of models that
// turn texts into vectors.
#pragma once

#include <cstdint>

#include "attend/backend/backend.h"
#include "attend/core/options/options.h"
#include "attend/models/network.h"
#include "attend/models/stack/stack_input.h"
#include "attend/models/stack/transformer_stack.h"
#include "attend/nn/ragged.h"

namespace attend {

struct EncoderConfig : StackConfig {
  EncoderConfig() {
    d_model = 128;
    n_heads = 4;
    d_ff = 256;
  }

  int n_encoder_layers = 2;
  bool causal = false;
  int embedding_width = 0;
  int token_types = 0;
  int uncounted_token = -1;
  int bigram_buckets = 0;
  float embedding_deviation = 1.0f;
  int vocab_size = 0;  // set from the tokenizer

  // The width of the embeddings.
  int width_of_embeddings() const { return embedding_width > 0 ? embedding_width : d_model; }
};

template <class Visitor>
void encoder_fields(EncoderConfig& c, Visitor&& visit) {
  stack_fields(c, visit, [&] {
    visit("n-encoder-layers", c.n_encoder_layers, kLayerCounts, "layers of the encoder");
  });
  visit("causal", c.causal, "each token sees only earlier tokens, as in language models");
  visit("embedding-width", c.embedding_width, between(0, kWidths.most),
        "width of the embeddings, from which a linear layer makes d-model; 0: d-model without such "
        "a layer");
  visit("token-types", c.token_types, between(0, 65536),
        "token types (BERT's segments), each with a vector added to the embeddings: 2 tells the "
        "second text of a pair from the first; 0: none");
  visit("uncounted-token", c.uncounted_token, between(-1, kVocabularySizes.most),
        "id of a token that does not count in learned positions and has a position of its own, as "
        "RoBERTa's padding; -1: none");
  visit("bigram-buckets", c.bigram_buckets, between(0, 1e8),
        experimental("size of a hashed table of bigram embeddings, which are added to the token "
                     "embeddings; 0: none"));
  visit("embedding-deviation", c.embedding_deviation, between(0, 1000),
        experimental("standard deviation of the initial embeddings; small values keep rare words "
                     "from being memorized"));
}

template <class Visitor>
void fields(EncoderConfig& c, Visitor&& visit) {
  encoder_fields(c, visit);
}

// Throws ConfigError naming the invalid option.
void validate(const EncoderConfig& config);

// The hash bucket of each token and its predecessor in the text (Joulin et al. 2017, "Bag of Tricks
// for Efficient Text Classification"). The same on every machine.
Ids bigram_buckets(const Ragged& texts, int buckets);

class EncoderTransformer {
 public:
  // Parameters embedding, bigram_embedding, positions, norm, token_types, embedding_projection and
  // encoder.layers.
  EncoderTransformer(ParameterSet& parameters, const EncoderConfig& config);

  // The embeddings [V, D], narrower ones with an embedding projection.
  Tensor embeddings() const { return backend()->float_weights(embedding_->value()); }

  // B nonempty texts with N tokens in total -> a vector per token [N, D]. `types`: the row of each
  // token in the table of token types, N of them; empty: all are the first.
  Variable forward(const Ragged& texts, Pass& pass, const Ids& types = {}) const;

 private:
  bool causal_;
  int buckets_;
  float scale_;
  float dropout_;
  Parameter embedding_;         // [V, D]
  Parameter bigram_embedding_;  // [buckets, D], or undefined
  StackInput input_;
  TransformerStack stack_;
};

// An encoder with a head: a classifier, a tagger, or a model that turns texts into vectors.
template <class Config>
class EncoderNetwork : public Network<Config> {
 public:
  // The embeddings, as of EncoderTransformer.
  Tensor embeddings() const { return encoder_.embeddings(); }

  // B nonempty texts with N tokens in total -> a vector per token [N, D]. `types`: as of
  // EncoderTransformer::forward().
  Variable encode(const Ragged& texts, Pass& pass, const Ids& types = {}) const {
    return encoder_.forward(texts, pass, types);
  }

 protected:
  explicit EncoderNetwork(const Config& config)
      : Network<Config>(config), encoder_(this->parameters_, config) {}

 private:
  EncoderTransformer encoder_;
};

}  // namespace attend
