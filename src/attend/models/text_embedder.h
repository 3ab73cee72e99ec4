// A model that turns texts into vectors: a Transformer encoder, pooling over all tokens, and
// optionally linear layers and division by the length of the vector (Reimers & Gurevych 2019,
// "Sentence-BERT").
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "attend/models/encoder_transformer.h"
#include "attend/models/text_pooling.h"
#include "attend/nn/layers.h"

namespace attend {

struct EmbedderConfig : EncoderConfig {
  Pooling pooling = Pooling::mean;
  std::vector<std::string> more_pooling;
  int dense_width = 0;
  int second_dense_width = 0;
  Activation dense_activation = Activation::tanh;
  bool dense_bias = true;
  bool normalize = false;

  // All kinds of pooling, in order. Throws ConfigError for names that are none or repeated.
  std::vector<Pooling> poolings() const;
  // Elements of the vector of a text after pooling, and after the linear layers.
  int pooled_width() const { return d_model * (1 + static_cast<int>(more_pooling.size())); }
  int vector_width() const {
    return second_dense_width > 0 ? second_dense_width
           : dense_width > 0      ? dense_width
                                  : pooled_width();
  }
};

template <class Visitor>
void fields(EmbedderConfig& c, Visitor&& visit) {
  encoder_fields(c, visit);
  visit("pooling", c.pooling, kPoolingHelp);
  visit("more-pooling", c.more_pooling,
        "further kinds of pooling, whose vectors are appended to that of --pooling");
  visit("dense-width", c.dense_width, between(0, kWidths.most),
        "width of a linear layer after pooling; 0: none");
  visit("second-dense-width", c.second_dense_width, between(0, kWidths.most),
        "width of another linear layer after the one of --dense-width; 0: none");
  visit("dense-activation", c.dense_activation,
        "activation after the layers of --dense-width and --second-dense-width");
  visit("dense-bias", c.dense_bias,
        "biases in the layers of --dense-width and --second-dense-width");
  visit("normalize", c.normalize, "scale the vectors of texts to length 1");
}

// Throws ConfigError naming the invalid option.
void validate(const EmbedderConfig& config);

// The rows of x [N, D], divided by their lengths.
Variable unit_vectors(const Variable& x);

class TextEmbedder : public EncoderNetwork<EmbedderConfig> {
 public:
  // For inference, or for training: as all networks.
  explicit TextEmbedder(const EmbedderConfig& config);
  TextEmbedder(const EmbedderConfig& config, std::uint64_t seed) : TextEmbedder(config) {
    parameters_.allocate(seed);
  }

  // The vectors [N, D] of all tokens -> those of the texts [B, W], W the width of the vectors.
  Variable pooled(const Variable& tokens, const Ids& offsets, Pass& pass) const;
  Variable forward(const Ragged& texts, Pass& pass) const {
    return pooled(encode(texts, pass), texts.offsets, pass);
  }

 private:
  std::vector<Pooling> poolings_;
  std::vector<Linear> dense_;
};

}  // namespace attend
