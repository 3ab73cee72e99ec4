// A model that turns texts into vectors: a Transformer encoder, pooling over all tokens, and
// optionally division by the length of the vector (Reimers & Gurevych 2019, "Sentence-BERT").
#pragma once

#include <cstdint>

#include "attend/models/encoder_transformer.h"
#include "attend/models/text_pooling.h"

namespace attend {

struct EmbedderConfig : EncoderConfig {
  Pooling pooling = Pooling::mean;
  bool normalize = false;
};

template <class Visitor>
void fields(EmbedderConfig& c, Visitor&& visit) {
  encoder_fields(c, visit);
  visit("pooling", c.pooling, kPoolingHelp);
  visit("normalize", c.normalize, "scale the vectors of texts to length 1");
}

// Throws ConfigError naming the invalid option.
void validate(const EmbedderConfig& config);

// The rows of x [N, D], divided by their lengths.
Variable unit_vectors(const Variable& x);

class TextEmbedder {
 public:
  // With gradients, initialized from the seed. Throws ConfigError.
  TextEmbedder(const EmbedderConfig& config, std::uint64_t seed);
  // For inference: parameters without gradients, for load_parameters() to allocate and fill.
  enum class Purpose { inference };
  TextEmbedder(const EmbedderConfig& config, Purpose purpose);

  const EmbedderConfig& config() const { return config_; }
  ParameterSet& parameters() { return parameters_; }
  const ParameterSet& parameters() const { return parameters_; }

  // The embeddings [V, D].
  Tensor embeddings() const { return encoder_.embeddings(); }

  // B nonempty texts with N tokens in total -> a vector per token [N, D].
  Variable encode(const Ragged& texts, Pass& pass) const { return encoder_.forward(texts, pass); }
  // The vectors [N, D] of all tokens -> those of the texts [B, D].
  Variable pooled(const Variable& tokens, const Ids& offsets) const;
  Variable forward(const Ragged& texts, Pass& pass) const {
    return pooled(encode(texts, pass), texts.offsets);
  }

 private:
  explicit TextEmbedder(const EmbedderConfig& config);

  EmbedderConfig config_;
  ParameterSet parameters_;
  EncoderTransformer encoder_;
};

}  // namespace attend
