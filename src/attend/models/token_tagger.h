// The tagger of tokens: a Transformer encoder, one logit per tag for chosen tokens.
#pragma once

#include <cstdint>

#include "attend/models/encoder_transformer.h"
#include "attend/nn/layers.h"

namespace attend {

struct TaggerConfig : EncoderConfig {
  bool bos = true;
  float output_dropout = 0.0f;
  int tags = 0;  // set from the data
};

template <class Visitor>
void fields(TaggerConfig& c, Visitor&& visit) {
  encoder_fields(c, visit);
  visit("bos", c.bos, "begin every text with a bos token, as BERT does");
  visit("output-dropout", c.output_dropout, dropout_shares(),
        "dropout on the input of the output layer");
}

// Throws ConfigError naming the invalid option.
void validate(const TaggerConfig& config);

class TokenTagger {
 public:
  // With gradients, initialized from the seed. Throws ConfigError.
  TokenTagger(const TaggerConfig& config, std::uint64_t seed);
  // For inference: parameters without gradients, for load_parameters() to allocate and fill.
  enum class Purpose { inference };
  TokenTagger(const TaggerConfig& config, Purpose purpose);

  const TaggerConfig& config() const { return config_; }
  ParameterSet& parameters() { return parameters_; }
  const ParameterSet& parameters() const { return parameters_; }

  // The embeddings [V, D].
  Tensor embeddings() const { return encoder_.embeddings(); }

  // B nonempty texts with N tokens in total -> a vector per token [N, D].
  Variable encode(const Ragged& texts, Pass& pass) const { return encoder_.forward(texts, pass); }
  // The tokens `rows` of all N -> logits [W, C].
  Variable forward(const Ragged& texts, const Ids& rows, Pass& pass) const;

 private:
  explicit TokenTagger(const TaggerConfig& config);

  TaggerConfig config_;
  ParameterSet parameters_;
  EncoderTransformer encoder_;
  Linear output_;
};

}  // namespace attend
