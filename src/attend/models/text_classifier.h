// The encoder-only classifier: a Transformer encoder, pooling, one logit per class (or the number
// of a regression).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "attend/classifier.h"
#include "attend/models/encoder_transformer.h"
#include "attend/models/text_pooling.h"
#include "attend/nn/layers.h"

namespace attend {

inline std::span<const std::string_view> enum_names(ProblemType) {
  static constexpr std::array<std::string_view, 3> kNames{"single_label", "multi_label",
                                                          "regression"};
  return kNames;
}

// The configuration of a classifier: an encoder, and its pooling and output.
struct ClassifierConfig : EncoderConfig {
  Pooling pooling = Pooling::max;
  bool bos = false;
  Activation head = Activation::none;
  float output_dropout = 0.0f;
  ProblemType problem_type = ProblemType::single_label;
  int separators = 1;
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
  visit("problem-type", c.problem_type,
        "what a text gets: single_label (one label), multi_label (any number of labels), or "
        "regression (a number)");
  visit("separators", c.separators, between(0, 2),
        "eos tokens between the two texts of a pair: 1 (BERT) or 2 (RoBERTa); 0: the model reads "
        "no pairs");
}

// Throws ConfigError naming the invalid option.
void validate(const ClassifierConfig& config);

class TextClassifier : public EncoderNetwork<ClassifierConfig> {
 public:
  // For inference, or for training: as all networks.
  explicit TextClassifier(const ClassifierConfig& config);
  TextClassifier(const ClassifierConfig& config, std::uint64_t seed) : TextClassifier(config) {
    parameters_.allocate(seed);
  }

  // B texts -> what the output layer reads [B, D].
  Variable features(const Ragged& texts, Pass& pass, const Ids& types = {}) const;
  // -> logits [B, C].
  Variable forward(const Ragged& texts, Pass& pass, const Ids& types = {}) const;
  // From features to logits, for a loss that projects by itself.
  AffineMap output_map() const { return output_.map(); }
  // The output layer, and the layer between the vector of a text and it, if there is one; their
  // weights may be packed or in 8 bits.
  OutputProjection output() const { return projection_of(output_); }
  std::optional<OutputProjection> head() const {
    return head_ ? std::optional(projection_of(*head_)) : std::nullopt;
  }

 private:
  static OutputProjection projection_of(const Linear& layer) {
    return {layer.map().weight.value(), layer.map().bias.value()};
  }
  std::optional<Linear> head_;  // [D, D]
  Linear output_;
};

}  // namespace attend
