// The encoder-only classifier: a Transformer encoder, pooling, one logit per class.
#pragma once

#include <cstdint>
#include <optional>

#include "attend/models/encoder_transformer.h"
#include "attend/models/text_pooling.h"
#include "attend/nn/layers.h"

namespace attend {

// The configuration of a classifier: an encoder, and its pooling and output.
struct ClassifierConfig : EncoderConfig {
  Pooling pooling = Pooling::max;
  bool bos = false;
  Activation head = Activation::none;
  float output_dropout = 0.0f;
  int classes = 0;  // set from the labels
};

template <class Visitor>
void fields(ClassifierConfig& c, Visitor&& visit) {
  encoder_fields(c, visit);
  visit("pooling", c.pooling, kPoolingHelp);
  visit("bos", c.bos, "begin every text with a bos token, as pooling first always does");
  visit("head", c.head,
        "activation of a linear layer between the text vector and the output, such as tanh (BERT) "
        "or relu (DistilBERT); none: no such layer");
  visit("output-dropout", c.output_dropout, dropout_shares(),
        "dropout on the input of the output layer");
}

// Throws ConfigError naming the invalid option.
void validate(const ClassifierConfig& config);

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
  Tensor embeddings() const { return encoder_.embeddings(); }

  // B nonempty texts with N tokens in total -> a vector per token [N, D].
  Variable encode(const Ragged& texts, Pass& pass) const { return encoder_.forward(texts, pass); }
  // -> logits [B, C].
  Variable forward(const Ragged& texts, Pass& pass) const;

 private:
  explicit TextClassifier(const ClassifierConfig& config);

  ClassifierConfig config_;
  ParameterSet parameters_;
  EncoderTransformer encoder_;
  std::optional<Linear> head_;  // [D, D]
  Linear output_;
};

}  // namespace attend
